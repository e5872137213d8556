// Starts `stacklint lsp` and connects it with the editor. What is shown while editing is the server's.

import { commands, ExtensionContext, workspace } from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from "vscode-languageclient/node";
import { register, userSetting } from "./commands";

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("stacklint.restart", async () => {
      await client?.stop();
      await start();
    }),
    ...register(),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: userSetting("path"), args: ["lsp"], transport: TransportKind.stdio };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "yaml" },
      { scheme: "file", language: "json" },
      { scheme: "file", language: "toml" },
      { scheme: "file", pattern: "**/*.{tf,tofu,tfvars,tmpl,hcl,env}" },
    ],
    initializationOptions: { onlyNew: workspace.getConfiguration("stacklint").get<boolean>("onlyNew", false) },
    // The server gets the settings again when they change.
    synchronize: { configurationSection: "stacklint" },
  };
  client = new LanguageClient("stacklint", "stacklint", server, options);
  await client.start();
}
