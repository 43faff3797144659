/** The commands that are written by hand, each loaded only when the line names it. */
import type { HandWritten } from './hand-written.ts';

export const handWritten: readonly HandWritten[] = [
  {
    name: 'auth',
    summary: 'Sign in, and see who you are and what you may do',
    group: 'account',
    meant: { login: 'auth login', signin: 'auth login', logout: 'auth logout', token: 'auth token' },
    load: async (context, words) => (await import('./auth/index.ts')).authCommand(context, words),
  },
  {
    name: 'profiles',
    summary: 'One for each business and environment',
    group: 'account',
    load: async (context, words) => (await import('./profiles/index.ts')).profilesCommand(context, words),
  },
  {
    name: 'config',
    summary: 'Settings: those in effect, and changing them',
    group: 'account',
    load: async (context, words) => (await import('./config/index.ts')).configCommand(context, words),
  },
  {
    name: 'find',
    summary: 'Look for a text among records of all kinds',
    group: 'tools',
    meant: { search: 'find' },
    load: async (context) => (await import('./find.ts')).findCommand(context),
  },
  {
    name: 'api',
    summary: 'Send any request to the API',
    group: 'tools',
    load: async (context) => (await import('./api.ts')).apiCommand(context),
  },
  {
    name: 'backup',
    summary: 'Write an account to a folder, and check it',
    group: 'tools',
    load: async (context, words) => (await import('./backup/index.ts')).backupCommand(context, words),
  },
  {
    name: 'export',
    summary: 'Write all resources to a workbook or a folder',
    group: 'tools',
    load: async (context) => (await import('./bulk/export-all.ts')).exportAllCommand(context),
  },
  {
    name: 'runs',
    summary: 'What runs did, and going on with them',
    group: 'tools',
    load: async (context, words) => (await import('./runs/index.ts')).runsCommand(context, words),
  },
  {
    name: 'mirror',
    summary: 'A copy of the account in SQL',
    group: 'tools',
    meant: { sync: 'mirror sync', sql: 'mirror sync' },
    load: async (context, words) => (await import('./mirror/index.ts')).mirrorCommand(context, words),
  },
  {
    name: 'history',
    summary: 'What was written, with what was there before',
    group: 'tools',
    meant: { log: 'history', audit: 'history' },
    load: async (context, words) => (await import('./history/index.ts')).historyCommand(context, words),
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
    summary: 'Show what would change for the account to be as files declare it',
    group: 'tools',
    load: async (context) => (await import('./manifest/plan.ts')).planCommand(context),
  },
  {
    name: 'diff',
    summary: 'Say where the account differs from what files declare',
    group: 'tools',
    meant: { drift: 'diff' },
    load: async (context) => (await import('./manifest/diff.ts')).diffCommand(context),
  },
  {
    name: 'sandbox',
    summary: 'The service itself, to rehearse and test on',
    group: 'tools',
    load: async (context, words) => (await import('./sandbox/index.ts')).sandboxCommand(context, words),
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
