/** The parts of src/: what each is for, and what it may import. The rule of imports and the picture are made from it. */

export interface Part {
  /** For the picture: a few words. */
  about: string;
  /** Other parts, but for those of the ground; `libraries` stands for any of those, a library's name for that one alone. */
  imports: readonly string[];
}

/** Facts of a file or two: none imports anything, no library and no other one either, and whoever needs one may have it. */
export const ground: Readonly<Record<string, string>> = {
  errors: 'the closed list of failures and their exit codes',
  'byte-order-mark': 'which encoding the first bytes of a text name',
  chance: 'numbers that look random, the same each time',
  environment: 'the variables of a process',
  'fold-text': 'text as people search for it',
  'known-home': 'a home for a user of whom the system knows none',
  loopback: 'which addresses are this machine',
  'make-folder': 'a folder, with those above it',
  mask: 'what stands in the place of a secret',
  'number-text': 'numbers as they are written, those too that a double would change',
  palette: 'the colours of pages in a browser',
  'short-value': 'long values in sentences',
  stopwatch: 'time that passes whatever the clock does',
  unreadable: 'why a file can’t be read or written, in words',
};

/** A part is a folder of src/, or a file directly in it. From the ground up. */
const below: Record<string, Part> = {
  ending: { about: 'how a run ends when it is told to', imports: [] },
  'as-owner': { about: 'root at work on the files of somebody else', imports: [] },
  'own-folders': {
    about: 'where boh keeps what is its own',
    imports: ['libraries'],
  },
  suggest: { about: 'what a mistyped word may have meant', imports: ['libraries'] },
  version: { about: 'the version, and how boh names itself', imports: ['../package.json'] },
  'child-process': { about: 'other programs, started without secrets', imports: [] },
  contract: {
    about: 'the vocabulary: resource, field, filter, operation, API',
    imports: ['suggest', 'zod'],
  },
  storage: { about: 'the one wrapper of SQLite', imports: ['as-owner'] },
  terminal: {
    about: 'streams, tables, formats, prompts, cleaning of text',
    imports: ['child-process', 'libraries'],
  },
  auth: {
    about: 'signing in by authorization code',
    imports: ['libraries'],
  },
  resources: { about: 'the API as data: 23 resources and whoami', imports: ['contract'] },
  client: {
    about: 'operation and input to HTTP and back: pages, retries',
    imports: ['contract', 'libraries'],
  },
  settings: {
    about: 'flags, environment and profile to one resolved value',
    imports: ['as-owner', 'own-folders', 'suggest', 'terminal', 'libraries'],
  },
  sandbox: {
    about: 'the service itself: routes, store, rules, OAuth, faults',
    imports: ['own-folders', 'contract', 'resources', 'storage', 'libraries'],
  },
  reference: {
    about: 'contract to Markdown, man pages, JSON Schema, OpenAPI',
    imports: ['version', 'contract', 'libraries'],
  },
  session: {
    about: 'an account, opened: list, get, write, look names up',
    imports: ['suggest', 'version', 'contract', 'settings', 'auth', 'client'],
  },
  pace: {
    about: 'one budget of requests for each token, shared by all processes',
    imports: ['client', 'storage'],
  },
  diagnosis: {
    about: 'what is wrong with a setup, and what to do',
    imports: ['../package.json', 'version', 'contract', 'settings', 'auth', 'client', 'session', 'sandbox'],
  },
  interaction: {
    about: 'between a command and whoever uses it: input read, questions asked, results shown',
    imports: [
      'child-process',
      'suggest',
      'version',
      'contract',
      'settings',
      'terminal',
      'auth',
      'client',
      'session',
      'reference',
      'as-owner',
      'libraries',
    ],
  },
  // The engines stand on an account and on the contract, and know nothing of a command line.
  bulk: {
    about: 'files in and out, backups, copies, and the ledger of a run',
    imports: ['own-folders', 'suggest', 'contract', 'session', 'storage', 'libraries'],
  },
  pictures: {
    about: 'records as people would rather see them: maps, weeks, levels',
    imports: ['contract', 'terminal', 'libraries'],
  },
  history: {
    about: 'what was written, and taking it back',
    imports: ['own-folders', 'contract', 'session', 'storage', 'bulk', 'libraries'],
  },
  manifest: {
    about: 'declared data: plan and apply',
    imports: ['suggest', 'contract', 'session', 'storage', 'bulk', 'reference', 'libraries'],
  },
  mirror: {
    about: 'a copy in SQL',
    imports: ['own-folders', 'contract', 'session', 'storage', 'bulk', 'libraries'],
  },
};

const names = Object.keys(below);

export const parts: Readonly<Record<string, Part>> = {
  ...Object.fromEntries(Object.entries(ground).map(([name, about]) => [name, { about, imports: [] }])),
  ...below,
  // Commands are made from the API that they are handed; which one that is, is main's to say.
  commands: {
    about: 'the command line: describes, asks and shows',
    imports: [...names.filter((name) => name !== 'resources'), 'libraries'],
  },
  main: { about: 'composes; the only place that catches', imports: [...names, 'commands', 'libraries'] },
};

/** Whether any part may import it. */
export function isGround(name: string): boolean {
  return Object.hasOwn(ground, name);
}
