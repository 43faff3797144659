/** The commands that are written by hand. Each is one `import()`, made when the line names the command. */
import type { Api } from '../contract/api.ts';
import { isWrite } from '../contract/operation.ts';
import type { HandWritten } from './hand-written.ts';

/** All commands that are not made from the contract. */
export const handWritten: readonly HandWritten[] = [
  {
    name: 'auth',
    summary: 'Sign in, and see who you are and what you may do',
    group: 'account',
    meant: { login: 'auth login', signin: 'auth login', logout: 'auth logout', token: 'auth token' },
    load: async (context) => (await import('./auth/index.ts')).authCommand(context),
  },
  {
    name: 'profiles',
    summary: 'One for each business and environment',
    group: 'account',
    load: async (context) => (await import('./profiles.ts')).profilesCommand(context),
  },
  {
    name: 'config',
    summary: 'Settings: those in effect, and changing them',
    group: 'account',
    load: async (context) => (await import('./config/index.ts')).configCommand(context),
  },
  {
    name: 'find',
    summary: 'Look for a text among records of all kinds',
    group: 'tools',
    meant: { search: 'find' },
    load: async (context) => (await import('./find.ts')).findCommand(context),
  },
  {
    name: 'views',
    summary: 'Lists with their filters and columns, under names',
    group: 'tools',
    load: async (context, words) => (await import('./views/index.ts')).viewsCommand(context, words),
  },
  {
    name: 'api',
    isWrite: isWriteRequest,
    summary: 'Send any request to the API',
    group: 'tools',
    load: async (context) => (await import('./api.ts')).apiCommand(context),
  },
  {
    name: 'backup',
    summary: 'Write an account to a folder, and check it',
    group: 'tools',
    load: async (context) => (await import('./backup.ts')).backupCommand(context),
  },
  {
    name: 'export',
    summary: 'Write all resources to a workbook or a folder',
    group: 'tools',
    load: async (context) => (await import('./bulk/export-all.ts')).exportAllCommand(context),
  },
  {
    name: 'copy',
    isWrite: () => true,
    summary: 'Copy records from one account to another',
    group: 'tools',
    load: async (context) => (await import('./transfer/copy.ts')).copyCommand(context),
  },
  {
    name: 'restore-from',
    isWrite: () => true,
    summary: 'Bring the records of a backup into an account',
    group: 'tools',
    load: async (context) => (await import('./transfer/restore-from.ts')).restoreFromCommand(context),
  },
  {
    name: 'runs',
    isWrite: ([word]) => word === 'resume',
    summary: 'What runs did, and going on with them',
    group: 'tools',
    load: async (context) => (await import('./runs/index.ts')).runsCommand(context),
  },
  {
    name: 'mirror',
    summary: 'A copy of the account in SQL',
    group: 'tools',
    meant: { sync: 'mirror sync', sql: 'mirror sync' },
    load: async (context) => (await import('./mirror/index.ts')).mirrorCommand(context),
  },
  {
    name: 'history',
    summary: 'What was written, with what was there before',
    group: 'tools',
    meant: { log: 'history', audit: 'history' },
    load: async (context) => (await import('./history/index.ts')).historyCommand(context),
  },
  {
    name: 'blame',
    summary: 'Which write set each field of a record last',
    group: 'tools',
    load: async (context) => (await import('./history/blame.ts')).blameCommand(context),
  },
  {
    name: 'undo',
    isWrite: () => true,
    summary: 'Take writes back',
    group: 'tools',
    meant: { revert: 'undo', rollback: 'undo' },
    load: async (context) => (await import('./history/undo.ts')).undoCommand(context),
  },
  {
    name: 'redo',
    isWrite: () => true,
    summary: 'Do again what an undo took back',
    group: 'tools',
    load: async (context) => (await import('./history/undo.ts')).redoCommand(context),
  },
  {
    name: 'completion',
    summary: 'Print the script that lets a shell complete boh',
    group: 'tools',
    load: async (context) => (await import('./completion/index.ts')).completionCommand(context),
  },
  {
    name: '__complete',
    summary: 'What could stand at the cursor, for those scripts',
    group: 'tools',
    hidden: true,
    raw: true,
    load: async (context, words) =>
      (await import('./completion/complete.ts')).completeCommand(words, handWritten, context),
  },
  {
    name: 'doctor',
    summary: 'Find out why a command doesn’t work',
    group: 'tools',
    load: async (context) => (await import('./doctor.ts')).doctorCommand(context),
  },
  {
    name: 'explain',
    summary: 'Say what a field, command, scope or failure means',
    group: 'tools',
    load: async (context) => (await import('./explain.ts')).explainCommand(context),
  },
  {
    name: 'resources',
    summary: 'List all resources with their verbs and scopes',
    group: 'tools',
    load: async (context) => (await import('./resources.ts')).resourcesCommand(context),
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a resource',
    group: 'tools',
    load: async (context) => (await import('./schema.ts')).schemaCommand(context),
  },
  {
    name: 'plan',
    summary: 'Show what an account lacks of what files declare',
    group: 'tools',
    load: async (context) => (await import('./manifest/plan.ts')).planCommand(context),
  },
  {
    name: 'apply',
    isWrite: () => true,
    summary: 'Make the account be as files declare it',
    group: 'tools',
    load: async (context) => (await import('./manifest/apply.ts')).applyCommand(context),
  },
  {
    name: 'pull',
    summary: 'Write the account as files that declare it',
    group: 'tools',
    load: async (context) => (await import('./manifest/pull.ts')).pullCommand(context),
  },
  {
    name: 'rehearse',
    summary: 'Try what files declare on a copy of the account',
    group: 'tools',
    load: async (context) => (await import('./manifest/rehearse.ts')).rehearseCommand(context),
  },
  {
    name: 'seed',
    isWrite: () => true,
    summary: 'Add believable records, the same each time',
    group: 'tools',
    load: async (context) => (await import('./manifest/seed.ts')).seedCommand(context),
  },
  {
    name: 'diff',
    summary: 'Say where an account differs from files',
    group: 'tools',
    meant: { drift: 'diff' },
    load: async (context) => (await import('./manifest/diff.ts')).diffCommand(context),
  },
  {
    name: 'sandbox',
    summary: 'The service itself, to rehearse and test on',
    group: 'tools',
    load: async (context) => (await import('./sandbox/index.ts')).sandboxCommand(context),
  },
  {
    name: 'openapi',
    summary: 'Print the API as an OpenAPI document',
    group: 'tools',
    load: async (context) => (await import('./openapi.ts')).openapiCommand(context),
  },
  {
    name: 'version',
    summary: 'Say what runs on what',
    group: 'tools',
    load: async (context) => (await import('./version.ts')).versionCommand(context),
  },
];

/** Of `boh api METHOD PATH`: whether the request changes anything, whatever its method. */
function isWriteRequest([method = '', path = '']: readonly string[], api: Api): boolean {
  const known = api.operationAt(method.toUpperCase(), path);
  return known ? isWrite(known) : !['', 'GET', 'HEAD'].includes(method.toUpperCase());
}
