/** The parts of src/: what each is for, and what it may import. The rule of imports and the picture are made from it. */

export interface Part {
  /** For the picture: a few words. */
  about: string;
  /** The parts that it may import, apart from `base`; `libraries` stands for any library, a library's name for that one alone. */
  imports: readonly string[];
}

/** The part that every other one may import. */
export const basics = 'base';

/** A part is a folder of src/, or `main.ts`. Each imports only parts above it in this table. */
const below: Record<string, Part> = {
  base: {
    about: 'failures, text, numbers, folders, child processes: what every part may use',
    imports: ['libraries', '../package.json'],
  },
  contract: { about: 'the vocabulary: resource, field, filter, operation, API', imports: ['zod'] },
  resources: { about: 'the API as data: 23 resources and whoami', imports: ['contract'] },
  storage: { about: 'the only access to SQLite; files, locks', imports: [] },
  terminal: { about: 'streams, tables, formats, the cleaning of text', imports: ['libraries'] },
  auth: { about: 'signing in by authorization code', imports: ['libraries'] },
  client: {
    about: 'operations over HTTP: pages, retries',
    imports: ['contract', 'libraries'],
  },
  settings: {
    about: 'flags, environment, profile: one value',
    imports: ['terminal', 'libraries'],
  },
  sandbox: {
    about: 'the service itself: routes, store, rules, OAuth, faults',
    imports: ['contract', 'resources', 'storage', 'libraries'],
  },
  reference: {
    about: 'the contract as pages, schema, OpenAPI',
    imports: ['contract', 'libraries'],
  },
  session: {
    about: 'an open account: list, get, write, find by name',
    imports: ['contract', 'settings', 'auth', 'client'],
  },
  pace: {
    about: 'one budget of requests per token, shared by all processes',
    imports: ['client', 'storage'],
  },
  diagnosis: {
    about: 'what is wrong with a setup, and what to do',
    imports: ['contract', 'settings', 'auth', 'client', 'session', 'sandbox', '../package.json'],
  },
  // The engines work on an account and the contract, and know nothing of a command line.
  tables: {
    about: 'CSV, NDJSON, JSON and XLSX: rows, columns, cells',
    imports: ['contract', 'session', 'libraries'],
  },
  runs: {
    about: 'planned rows in, results out: the ledger and the engine',
    imports: ['contract', 'session', 'storage', 'tables', 'libraries'],
  },
  bulk: {
    about: 'imports and exports of records and links',
    imports: ['contract', 'session', 'tables', 'runs', 'libraries'],
  },
  transfer: {
    about: 'copies between accounts, backups, restores',
    imports: ['contract', 'session', 'storage', 'tables', 'runs', 'bulk', 'libraries'],
  },
  history: {
    about: 'what was written, undo and redo',
    imports: ['contract', 'session', 'storage', 'runs', 'libraries'],
  },
  manifest: {
    about: 'declared data: plan and apply',
    imports: ['contract', 'session', 'storage', 'tables', 'runs', 'bulk', 'reference', 'libraries'],
  },
  changes: {
    about: 'plans with a start and an end',
    imports: ['contract', 'session', 'storage', 'runs', 'history', 'manifest'],
  },
  mirror: { about: 'a copy of the account in SQL', imports: ['contract', 'session', 'storage', 'libraries'] },
  pictures: { about: 'records drawn: maps, weeks, levels', imports: ['contract', 'terminal', 'libraries'] },
  lint: {
    about: 'rules that find mistakes in records; baselines',
    imports: [
      'contract',
      'session',
      'storage',
      'reference',
      'runs',
      'manifest',
      'mirror',
      'pictures',
      'libraries',
    ],
  },
  // Between a command and the person or program that uses it.
  context: {
    about: 'what every command is given: streams, settings, session',
    imports: ['contract', 'settings', 'terminal', 'session', 'reference'],
  },
  output: {
    about: 'results in their format, pager, --watch',
    imports: ['contract', 'terminal', 'client', 'session', 'reference', 'context', 'libraries'],
  },
  input: {
    about: 'the command line, files, standard input',
    imports: ['contract', 'client', 'reference', 'context', 'libraries'],
  },
  prompts: {
    about: 'forms, pickers, sheets, confirmations, editor, sign-in',
    imports: [
      'contract',
      'settings',
      'terminal',
      'auth',
      'client',
      'session',
      'reference',
      'context',
      'output',
      'input',
      'libraries',
    ],
  },
};

const names = Object.keys(below);

export const parts: Readonly<Record<string, Part>> = {
  ...below,
  // Commands are made from the API that they are handed; which one that is, is for main to say.
  commands: {
    about: 'the command line: describes, asks and displays',
    imports: [...names.filter((name) => name !== 'resources'), 'libraries'],
  },
  main: { about: 'composes; the only place that catches', imports: [...names, 'commands', 'libraries'] },
};
