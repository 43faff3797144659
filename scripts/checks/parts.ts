/** The modules of src/ and their parts, with their purpose, imports and entry points. The import check and the picture use this table. */

/** A folder of a module. It may import `base`, itself, and what it names. */
export interface Part {
  /** The purpose in a few words, for the picture. */
  purpose: string;
  /** Parts of the same module or of a lower one, and names of libraries; `libraries` allows every library. */
  imports: readonly string[];
  /** The files that other modules may import, relative to the folder of the part; `*` is each file of a folder. */
  entryPoints: readonly string[];
}

/** A folder of src/. */
export interface Module {
  purpose: string;
  parts: Readonly<Record<string, Part>>;
}

/** The module that every other module may import. */
export const baseModule = 'base';

const base: Module = {
  purpose: 'failures, text, numbers, files: for every module',
  parts: {
    base: {
      purpose: 'failures, text, numbers, folders, child processes',
      imports: ['libraries', '../package.json'],
      entryPoints: ['*'],
    },
    storage: { purpose: 'the only access to SQLite; files, locks', imports: [], entryPoints: ['*'] },
  },
};

const api: Module = {
  purpose: 'the API as data, and what follows from it',
  parts: {
    contract: {
      purpose: 'the vocabulary: resource, field, filter, operation',
      imports: ['zod'],
      entryPoints: ['*'],
    },
    resources: {
      purpose: '23 resources and whoami',
      imports: ['contract'],
      entryPoints: ['index.ts', 'notification-types.ts'],
    },
    deployments: {
      purpose: 'how services differ from the document',
      imports: ['contract', 'resources'],
      entryPoints: ['*'],
    },
    reference: {
      purpose: 'the contract as pages, schema, OpenAPI',
      imports: ['contract', 'libraries'],
      entryPoints: ['*'],
    },
    sql: {
      purpose: 'the contract as SQL: relations, filters',
      imports: ['contract', 'storage'],
      entryPoints: ['*'],
    },
  },
};

const account: Module = {
  purpose: 'an open account of a service',
  parts: {
    auth: { purpose: 'sign-in by authorization code', imports: ['libraries'], entryPoints: ['*'] },
    client: {
      purpose: 'operations over HTTP: pages, retries',
      imports: ['contract', 'libraries'],
      entryPoints: [
        ...['client.ts', 'network.ts', 'pace.ts', 'proxy-setting.ts', 'request.ts', 'response.ts'],
        ...['retry.ts', 'shape.ts', 'transport.ts'],
      ],
    },
    settings: {
      purpose: 'values of flags, environment and profile',
      imports: ['contract', 'deployments', 'storage', 'libraries'],
      entryPoints: ['*'],
    },
    session: {
      purpose: 'list, get, write, find by name',
      imports: ['contract', 'settings', 'auth', 'client'],
      entryPoints: ['*', 'diff/*'],
    },
    pace: {
      purpose: 'one budget of requests per token',
      imports: ['client', 'storage'],
      entryPoints: ['*'],
    },
  },
};

const engine: Module = {
  purpose: 'what is done with an account, for every interface',
  parts: {
    areas: { purpose: 'zones on the map', imports: ['libraries'], entryPoints: ['*'] },
    weeks: { purpose: 'events in a week', imports: ['contract'], entryPoints: ['*'] },
    tables: {
      purpose: 'CSV, NDJSON, JSON and XLSX: rows, columns, cells',
      imports: ['contract', 'session', 'libraries'],
      entryPoints: [
        ...['check-file.ts', 'csv-dialect.ts', 'failed-rows.ts', 'find-header.ts', 'input-file.ts'],
        ...[
          'open-table.ts',
          'possible-encodings.ts',
          'result-folder.ts',
          'table.ts',
          'workbook/book-bytes.ts',
        ],
        'columns/*',
      ],
    },
    runs: {
      purpose: 'what to change, and the run that changes it',
      imports: ['contract', 'client', 'session', 'storage', 'tables', 'libraries'],
      entryPoints: ['*', 'ledger/*'],
    },
    bulk: {
      purpose: 'imports and exports of records and links',
      imports: ['contract', 'session', 'tables', 'runs', 'libraries'],
      entryPoints: ['export/*', 'links/*', 'plan/*', 'prices/*'],
    },
    transfer: {
      purpose: 'copies between accounts, backups, restores',
      imports: ['contract', 'session', 'storage', 'tables', 'runs', 'bulk', 'libraries'],
      entryPoints: ['*', 'backup/*', 'tables/*'],
    },
    history: {
      purpose: 'the journal of writes, undo and redo',
      imports: ['contract', 'session', 'storage', 'runs', 'libraries'],
      entryPoints: [
        ...['*', 'maintenance/*', 'recording/recorder.ts', 'undo/*'],
        ...['journal/entry.ts', 'journal/journal-changes.ts', 'journal/journal-to-read.ts'],
        ...['journal/journal.ts', 'journal/reading.ts'],
      ],
    },
    manifest: {
      purpose: 'declared data: plan and apply',
      imports: ['contract', 'session', 'storage', 'tables', 'runs', 'bulk', 'reference', 'libraries'],
      entryPoints: [
        ...[
          'rehearse.ts',
          'apply/*',
          'comparison/compare-accounts.ts',
          'plan/change.ts',
          'plan/make-plan.ts',
        ],
        ...['declared/declared.ts', 'declared/fields.ts', 'declared/parse-records.ts'],
        ...['declared/read-manifests.ts', 'pull/pull.ts', 'schema/*', 'seed/*', 'source/node.ts'],
      ],
    },
    changes: {
      purpose: 'scheduled changes with a start and an end',
      imports: ['contract', 'session', 'storage', 'runs', 'history', 'manifest'],
      entryPoints: ['*'],
    },
    mirror: {
      purpose: 'a copy of the account in SQL',
      imports: ['contract', 'session', 'storage', 'sql', 'libraries'],
      entryPoints: [
        ...['*', 'query/*', 'stores/ddl.ts', 'stores/open.ts', 'stores/reads.ts', 'stores/store.ts'],
        ...['schema/derive.ts', 'schema/excluded.ts', 'schema/numbers.ts', 'schema/state.ts'],
        ...['schema/reference-tables.ts', 'schema/table.ts', 'schema/versions.ts'],
        ...[
          'sync/account.ts',
          'sync/change-log.ts',
          'sync/exclusions.ts',
          'sync/history-rows.ts',
          'sync/round.ts',
          'sync/states.ts',
        ],
      ],
    },
    lint: {
      purpose: 'rules that find mistakes in records; baselines',
      imports: [
        ...['contract', 'session', 'storage', 'sql', 'reference'],
        ...['areas', 'weeks', 'runs', 'manifest', 'mirror', 'libraries'],
      ],
      entryPoints: ['*', 'rules/index.ts'],
    },
  },
};

const sandbox: Module = {
  purpose: 'the service itself, apart from everything else',
  parts: {
    sandbox: {
      purpose: 'routes, store, rules, OAuth, faults',
      imports: ['contract', 'resources', 'storage', 'sql', 'libraries'],
      entryPoints: [
        ...['check.ts', 'service.ts', 'webhooks.ts', 'business/*', 'demo/from-contract.ts', 'faults/*'],
        ...[
          'oauth/clients.ts',
          'server/listen.ts',
          'access/tokens.ts',
          'control/*',
          'new-content.ts',
          'server/api.ts',
          'server/mounted.ts',
          'store/tables.ts',
          'snapshots/*',
          'store/open.ts',
          'store/sandbox-files.ts',
        ],
      ],
    },
  },
};

const testing: Module = {
  purpose: 'sandboxes used like an account, and boh/testing',
  parts: {
    testing: {
      purpose: 'sessions in a sandbox, manifests, boh/testing',
      imports: [
        ...['contract', 'resources', 'deployments', 'reference', 'settings', 'client', 'session'],
        ...['manifest', 'sandbox', 'libraries'],
      ],
      entryPoints: ['*'],
    },
  },
};

const partsBelowCommands = {
  terminal: { purpose: 'streams, tables, formats, the cleaning of text', imports: ['settings', 'libraries'] },
  pictures: {
    purpose: 'records as maps, weeks and levels',
    imports: ['contract', 'areas', 'weeks', 'terminal', 'libraries'],
  },
  diagnosis: {
    purpose: 'problems of a setup, and how to fix them',
    imports: ['contract', 'settings', 'auth', 'client', 'session', 'sandbox', '../package.json'],
  },
  context: {
    purpose: 'what every command receives',
    imports: ['contract', 'settings', 'terminal', 'session', 'reference'],
  },
  output: {
    purpose: 'results in their format, pager, --watch',
    imports: ['contract', 'settings', 'client', 'session', 'reference', 'terminal', 'context', 'libraries'],
  },
  input: {
    purpose: 'the command line, files, standard input',
    imports: ['contract', 'client', 'reference', 'context', 'libraries'],
  },
  prompts: {
    purpose: 'forms, pickers, sheets, confirmations',
    imports: [
      ...['contract', 'settings', 'client', 'session', 'reference'],
      ...['terminal', 'context', 'output', 'input', 'libraries'],
    ],
  },
};

const lowerParts = [base, api, account, engine, sandbox, testing].flatMap(({ parts }) => Object.keys(parts));
const allParts = [...lowerParts, ...Object.keys(partsBelowCommands)];

const cli: Module = {
  purpose: 'the command line',
  parts: {
    ...withoutEntryPoints(partsBelowCommands),
    ...withoutEntryPoints({
      // Commands are built for any API. main passes the API, so that they don't import resources.
      commands: {
        purpose: 'arguments, questions and display',
        imports: [...allParts.filter((name) => name !== 'resources'), 'libraries'],
      },
      main: {
        purpose: 'starts the program, handles all errors',
        imports: [...allParts, 'commands', 'libraries'],
      },
    }),
  },
};

/** Nothing imports the command line. */
function withoutEntryPoints(parts: Record<string, Omit<Part, 'entryPoints'>>): Record<string, Part> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, { ...part, entryPoints: [] }]),
  );
}

/** The modules by folder, lowest first: a module imports only earlier ones. */
export const modules: Readonly<Record<string, Module>> = {
  base,
  api,
  account,
  engine,
  sandbox,
  testing,
  cli,
};
