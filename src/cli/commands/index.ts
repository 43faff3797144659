/** Declares the hand-written commands. Each is loaded with `import()` when a command line names it. */
import type { Api } from '../../api/contract/api.ts';
import { isWrite } from '../../api/contract/operation.ts';
import type { HandWritten } from './hand-written.ts';

const loadMirror = () => import('./mirror/index.ts');
const loadContract = () => import('./contract.ts');
const loadMan = () => import('./man.ts');
const loadApply = () => import('./manifest/apply.ts');
const loadHistory = () => import('./history/index.ts');
const loadUndo = () => import('./history/undo.ts');

/** All commands that aren't generated from the contract. */
export const handWritten: readonly HandWritten[] = [
  {
    name: 'auth',
    summary: 'Sign in and out, and show your permissions',
    group: 'set up',
    suggestions: { login: 'auth login', signin: 'auth login', logout: 'auth logout', token: 'auth token' },
    load: async (context) => (await import('./auth/index.ts')).authCommand(context),
  },
  {
    name: 'profiles',
    summary: 'Manage profiles: one for each business and environment',
    group: 'set up',
    load: async (context) => (await import('./profiles.ts')).profilesCommand(context),
  },
  {
    name: 'config',
    summary: 'Show and change settings',
    group: 'set up',
    load: async (context) => (await import('./config.ts')).configCommand(context),
  },
  {
    name: 'find',
    summary: 'Search records of all resources',
    group: 'everyday',
    suggestions: { search: 'find' },
    load: async (context) => (await import('./find.ts')).findCommand(context),
  },
  {
    name: 'today',
    summary: 'What needs attention before opening',
    group: 'everyday',
    load: async (context) => (await import('./today.ts')).todayCommand(context),
  },
  {
    name: 'views',
    summary: 'Save, list and delete views: filters and columns of a list',
    group: 'everyday',
    load: async (context, words) => (await import('./views.ts')).viewsCommand(context, words),
  },
  {
    name: 'api',
    isWrite: isWriteRequest,
    summary: 'Send any request to the API',
    group: 'build',
    load: async (context) => (await import('./api.ts')).apiCommand(context),
  },
  {
    name: 'backup',
    isWrite: ([subcommand]) => subcommand === 'restore',
    summary: 'Back up an account to a folder, verify and restore backups',
    group: 'move data',
    load: async (context) => (await import('./transfer/backup.ts')).backupCommand(context),
  },
  {
    name: 'export',
    summary: 'Export all resources to a workbook or a folder',
    group: 'move data',
    load: async (context) => (await import('./bulk/export-all.ts')).exportAllCommand(context),
  },
  {
    name: 'import',
    isWrite: () => true,
    summary: 'Import a workbook or a folder that export wrote',
    group: 'move data',
    load: async (context) => (await import('./transfer/import-all.ts')).importAllCommand(context),
  },
  {
    name: 'copy',
    isWrite: () => true,
    summary: 'Copy records from one account to another',
    group: 'move data',
    load: async (context) => (await import('./transfer/copy.ts')).copyCommand(context),
  },
  {
    name: 'runs',
    isWrite: ([subcommand]) => subcommand === 'resume',
    summary: 'List, inspect and resume bulk runs',
    group: 'look back',
    load: async (context) => (await import('./runs.ts')).runsCommand(context),
  },
  {
    name: 'mirror',
    summary: 'Keep a copy of the account in SQL and query it',
    group: 'query',
    suggestions: { sync: 'mirror sync', sql: 'mirror sync' },
    load: async (context) => (await loadMirror()).mirrorCommand(context),
  },
  {
    name: 'changes',
    summary: 'Show what changed in the account, by anyone',
    group: 'look back',
    load: async (context) => (await loadMirror()).changesCommand(context),
  },
  {
    name: 'history',
    summary: 'Show past writes with the earlier values',
    group: 'look back',
    suggestions: { log: 'history', audit: 'history' },
    load: async (context) => (await loadHistory()).historyCommand(context),
  },
  {
    name: 'blame',
    summary: 'Show which write last set each field of a record',
    group: 'look back',
    load: async (context) => (await loadHistory()).blameCommand(context),
  },
  {
    name: 'undo',
    isWrite: () => true,
    summary: 'Undo writes',
    group: 'look back',
    suggestions: { revert: 'undo', rollback: 'undo' },
    load: async (context) => (await loadUndo()).undoCommand(context),
  },
  {
    name: 'redo',
    isWrite: () => true,
    summary: 'Redo undone writes',
    group: 'look back',
    load: async (context) => (await loadUndo()).redoCommand(context),
  },
  {
    name: 'completion',
    summary: 'Print the completion script for your shell',
    group: 'set up',
    load: async (context) => (await import('./completion/index.ts')).completionCommand(context),
  },
  {
    name: 'man',
    summary: 'Print man pages, or write them to a folder',
    group: 'set up',
    load: async (context) => (await loadMan()).manCommand(context),
  },
  {
    name: '__complete',
    summary: 'Print completions for the cursor position',
    group: 'set up',
    hidden: true,
    raw: true,
    load: async (context, words) =>
      (await import('./completion/complete.ts')).completeCommand(words, handWritten, context),
  },
  {
    name: 'lint',
    summary: 'Find mistakes in records',
    group: 'check',
    load: async (context) => (await import('./lint.ts')).lintCommand(context),
  },
  {
    name: 'doctor',
    summary: 'Find out why a command fails',
    group: 'check',
    load: async (context) => (await import('./doctor.ts')).doctorCommand(context),
  },
  {
    name: 'explain',
    summary: 'Describe a field, command, scope or error',
    group: 'check',
    load: async (context) => (await import('./explain.ts')).explainCommand(context, handWritten),
  },
  {
    name: 'resources',
    summary: 'List resources with their verbs and scopes',
    group: 'build',
    load: async (context) => (await loadContract()).resourcesCommand(context),
  },
  {
    name: 'skill',
    summary: 'Print the rules of boh for coding agents',
    group: 'build',
    load: async (context) => (await loadContract()).skillCommand(context),
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a resource',
    group: 'build',
    load: async (context) => (await loadContract()).schemaCommand(context),
  },
  {
    name: 'plan',
    summary: 'Preview what apply would change',
    group: 'declare',
    load: async (context) => (await loadApply()).planCommand(context),
  },
  {
    name: 'apply',
    isWrite: () => true,
    summary: 'Create and update records to match files',
    group: 'declare',
    load: async (context) => (await loadApply()).applyCommand(context),
  },
  {
    name: 'change',
    isWrite: ([subcommand]) => subcommand === 'run',
    summary: 'Schedule changes with a start and an end',
    group: 'declare',
    suggestions: { schedule: 'change create', promotion: 'change create' },
    load: async (context) => (await import('./change/index.ts')).changeCommand(context),
  },
  {
    name: 'pull',
    summary: 'Write an account to files for plan and apply',
    group: 'declare',
    load: async (context) => (await import('./manifest/pull.ts')).pullCommand(context),
  },
  {
    name: 'rehearse',
    summary: 'Try an apply on a copy of the account',
    group: 'declare',
    load: async (context) => (await import('./manifest/rehearse.ts')).rehearseCommand(context),
  },
  {
    name: 'seed',
    isWrite: () => true,
    summary: 'Create realistic test records',
    group: 'declare',
    load: async (context) => (await import('./manifest/seed.ts')).seedCommand(context),
  },
  {
    name: 'diff',
    summary: 'Compare an account with files, or two accounts',
    group: 'declare',
    suggestions: { drift: 'diff' },
    load: async (context) => (await import('./manifest/diff.ts')).diffCommand(context),
  },
  {
    name: 'sandbox',
    summary: 'Run and control the embedded sandbox',
    group: 'build',
    load: async (context) => (await import('./sandbox/index.ts')).sandboxCommand(context),
  },
  {
    name: 'openapi',
    summary: 'Print the API as an OpenAPI document',
    group: 'build',
    load: async (context) => (await loadContract()).openapiCommand(context),
  },
  {
    name: 'version',
    summary: 'Show version information',
    group: 'check',
    load: async (context) => (await loadMan()).versionCommand(context),
  },
];

/** Returns whether the request of `boh api METHOD PATH` writes: some writes of the contract use GET. */
function isWriteRequest([method = '', path = '']: readonly string[], api: Api): boolean {
  const operation = api.findOperation(method.toUpperCase(), path);
  return operation ? isWrite(operation) : !['', 'GET', 'HEAD'].includes(method.toUpperCase());
}
