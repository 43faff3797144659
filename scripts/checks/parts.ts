/** The parts of src/, with their purpose and allowed imports. The import check and the picture use this table. */

/** A part of src/. */
export interface Part {
  /** The purpose in a few words, for the picture. */
  purpose: string;
  /** The parts that it may import in addition to `base`, and library names; `libraries` allows every library. */
  imports: readonly string[];
}

/** The part that every other part may import. */
export const basePart = 'base';

/** The parts, without commands and main. A part is a folder or file of src/ and imports only parts above it. */
const innerParts: Record<string, Part> = {
  base: {
    purpose: 'failures, text, numbers, folders, child processes: for every part',
    imports: ['libraries', '../package.json'],
  },
  contract: { purpose: 'the vocabulary: resource, field, filter, operation, API', imports: ['zod'] },
  resources: { purpose: 'the API as data: 23 resources and whoami', imports: ['contract'] },
  deployments: {
    purpose: 'how services differ from the API document, as data',
    imports: ['contract', 'resources'],
  },
  storage: { purpose: 'the only access to SQLite; files, locks', imports: [] },
  sql: { purpose: 'SQL from the contract: tables of relations, filters', imports: ['contract', 'storage'] },
  terminal: { purpose: 'streams, tables, formats, the cleaning of text', imports: ['libraries'] },
  auth: { purpose: 'sign-in by authorization code', imports: ['libraries'] },
  client: {
    purpose: 'operations over HTTP: pages, retries',
    imports: ['contract', 'libraries'],
  },
  settings: {
    purpose: 'values of flags, environment and profile',
    imports: ['deployments', 'storage', 'terminal', 'libraries'],
  },
  sandbox: {
    purpose: 'the service itself: routes, store, rules, OAuth, faults',
    imports: ['contract', 'resources', 'storage', 'sql', 'libraries'],
  },
  reference: {
    purpose: 'the contract as pages, schema, OpenAPI',
    imports: ['contract', 'libraries'],
  },
  session: {
    purpose: 'an open account: list, get, write, find by name',
    imports: ['contract', 'settings', 'auth', 'client'],
  },
  pace: {
    purpose: 'one budget of requests per token, shared by all processes',
    imports: ['client', 'storage'],
  },
  diagnosis: {
    purpose: 'problems of a setup, and how to fix them',
    imports: ['contract', 'settings', 'auth', 'client', 'session', 'sandbox', '../package.json'],
  },
  // Engines. They work on an account and the contract, and don't depend on the command line.
  tables: {
    purpose: 'CSV, NDJSON, JSON and XLSX: rows, columns, cells',
    imports: ['contract', 'session', 'libraries'],
  },
  runs: {
    purpose: 'bulk runs: the ledger and the engine',
    imports: ['contract', 'client', 'session', 'storage', 'tables', 'libraries'],
  },
  bulk: {
    purpose: 'imports and exports of records and links',
    imports: ['contract', 'session', 'tables', 'runs', 'libraries'],
  },
  transfer: {
    purpose: 'copies between accounts, backups, restores',
    imports: ['contract', 'session', 'storage', 'tables', 'runs', 'bulk', 'libraries'],
  },
  history: {
    purpose: 'the journal of writes, undo and redo',
    imports: ['contract', 'session', 'storage', 'runs', 'libraries'],
  },
  manifest: {
    purpose: 'declared data: plan and apply',
    imports: ['contract', 'session', 'storage', 'tables', 'runs', 'bulk', 'reference', 'libraries'],
  },
  changes: {
    purpose: 'scheduled changes with a start and an end',
    imports: ['contract', 'session', 'storage', 'runs', 'history', 'manifest'],
  },
  mirror: {
    purpose: 'a copy of the account in SQL',
    imports: ['contract', 'session', 'storage', 'sql', 'libraries'],
  },
  pictures: { purpose: 'records as maps, weeks and levels', imports: ['contract', 'terminal', 'libraries'] },
  lint: {
    purpose: 'rules that find mistakes in records; baselines',
    imports: [
      'contract',
      'session',
      'storage',
      'sql',
      'reference',
      'runs',
      'manifest',
      'mirror',
      'pictures',
      'libraries',
    ],
  },
  // The layers between a command and its user.
  context: {
    purpose: 'what every command receives: streams, settings, session',
    imports: ['contract', 'settings', 'terminal', 'session', 'reference'],
  },
  output: {
    purpose: 'results in their format, pager, --watch',
    imports: ['contract', 'terminal', 'client', 'session', 'reference', 'context', 'libraries'],
  },
  input: {
    purpose: 'the command line, files, standard input',
    imports: ['contract', 'client', 'reference', 'context', 'libraries'],
  },
  prompts: {
    purpose: 'forms, pickers, sheets, confirmations',
    imports: [
      'contract',
      'settings',
      'terminal',
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

const names = Object.keys(innerParts);

/** Every part of src/, by name. */
export const parts: Readonly<Record<string, Part>> = {
  ...innerParts,
  // Commands are built for any API. main passes the API, so that they don't import resources.
  commands: {
    purpose: 'the command line: arguments, questions and display',
    imports: [...names.filter((name) => name !== 'resources'), 'libraries'],
  },
  main: {
    purpose: 'starts the program and handles all errors',
    imports: [...names, 'commands', 'libraries'],
  },
};
