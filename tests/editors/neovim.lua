-- Drives the server from Neovim: findings of a buffer that is not saved, a hover, and completion.
local function fail(text)
  io.stderr:write("neovim: " .. text .. "\n")
  vim.cmd("cquit 1")
end

vim.cmd("edit stacks/deploy/shop/dev.yaml")
local client = vim.lsp.start_client({ name = "stacklint", cmd = { os.getenv("PROGRAM"), "lsp" }, root_dir = vim.fn.getcwd() })
if not client then fail("the server does not start") end
vim.lsp.buf_attach_client(0, client)

vim.fn.append(1, "  - catalog/nothing-of-this-name")
local function found()
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    if diagnostic.code == "unresolved-import" or (diagnostic.user_data and diagnostic.user_data.lsp and diagnostic.user_data.lsp.code == "unresolved-import") then
      return true
    end
  end
  return false
end
if not vim.wait(30000, found, 50) then fail("no finding: " .. vim.inspect(vim.diagnostic.get(0))) end

vim.cmd("2delete")
if not vim.wait(30000, function() return not found() end, 50) then fail("the finding stays") end
vim.fn.search("flow_logs")
local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 30000) or {}
local text = vim.inspect(answers)
if not text:find("reaches", 1, true) then fail("no hover: " .. text) end
-- In a template that is not closed: names that were known before.
vim.fn.append(vim.fn.line("$"), "description: '{{ .vars.")
vim.o.virtualedit = "onemore"
vim.fn.cursor(vim.fn.line("$"), vim.fn.col({ vim.fn.line("$"), "$" }))
answers = vim.lsp.buf_request_sync(0, "textDocument/completion", vim.lsp.util.make_position_params(), 30000) or {}
text = vim.inspect(answers)
if not text:find("flow_logs", 1, true) then fail("no completion: " .. text) end
io.stderr:write("neovim: ok\n")
vim.lsp.stop_client(client)
vim.cmd("qall!")
