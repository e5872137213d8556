// Commands that run the program: their output is shown in the terminal panel, or in the browser.

import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  commands, Disposable, env, ProcessExecution, ProgressLocation, Task, tasks, Uri, window, workspace, WorkspaceFolder,
} from "vscode";

/** A setting that only the user makes: a repository must not name what is run, and with what. */
export function userSetting(name: string): string {
  const found = workspace.getConfiguration("stacklint").inspect<string>(name);
  return found?.globalValue ?? found?.defaultValue ?? "";
}

/** All commands but the one that restarts the server. */
export function register(): Disposable[] {
  return [
    commands.registerCommand("stacklint.branch", () => show("What my branch changes", ["diff", range()])),
    commands.registerCommand("stacklint.why", () => commands.executeCommand("editor.action.showHover")),
    commands.registerCommand("stacklint.impact", async () => {
      const editor = window.activeTextEditor;
      if (editor === undefined) {
        await window.showInformationMessage("Open a file first.");
        return;
      }
      await show("What depends on this line", ["impact", `${editor.document.uri.fsPath}:${editor.selection.active.line + 1}`]);
    }),
    commands.registerCommand("stacklint.page", openPage),
  ];
}

/** From where the branch left the one that it is compared with. */
const range = (): string => `${userSetting("base")}...HEAD`;

/** The folder of the file that is open, or else the first one. */
function folder(): WorkspaceFolder | undefined {
  const uri = window.activeTextEditor?.document.uri;
  return (uri && workspace.getWorkspaceFolder(uri)) ?? workspace.workspaceFolders?.[0];
}

async function show(title: string, args: string[]): Promise<void> {
  const where = folder();
  if (where === undefined) {
    await window.showInformationMessage("Open a folder first.");
    return;
  }
  const run = new ProcessExecution(userSetting("path"), args, { cwd: where.uri.fsPath });
  await tasks.executeTask(new Task({ type: "process" }, where, title, "stacklint", run));
}

async function openPage(): Promise<void> {
  const where = folder();
  if (where === undefined) {
    await window.showInformationMessage("Open a folder first.");
    return;
  }
  const out = join(await mkdtemp(join(tmpdir(), "stacklint-")), "report.html");
  const args = ["report", range(), "--exit-zero", "--out", out];
  const progress = { location: ProgressLocation.Notification, title: "stacklint: writing the page" };
  const failure = await window.withProgress(progress, () => new Promise<string | undefined>((done) => {
    execFile(userSetting("path"), args, { cwd: where.uri.fsPath }, (error, _, stderr) => done(error ? stderr || error.message : undefined));
  }));
  if (failure === undefined) await env.openExternal(Uri.file(out));
  else await window.showErrorMessage(failure);
}
