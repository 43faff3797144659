/** Prints the contract: `boh resources`, `boh schema` and `boh openapi`; and lists known records: `boh branches`. */
import type { Api, Reference } from '../../api/contract/api.ts';
import { operations } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import {
  inputSchema,
  type JsonSchema,
  resourceSchema,
  schemaDialect,
} from '../../api/reference/json-schema.ts';
import { openApiDocument } from '../../api/reference/openapi.ts';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import { manifestSchema } from '../../engine/manifest/schema/manifest-schema.ts';
import type { Context } from '../context/context.ts';
import type { Result } from '../output/result.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import type { Command } from './command.ts';
import { createCommand } from './declare.ts';
import { resolveResource } from './flags/shared-flags.ts';
import { commandOf } from './hand-written.ts';
import { outputJsonSchema, outputSchemas } from './output-schemas.ts';
import { skillPage } from './skill-page.ts';

export function resourcesCommand(context: Context): Command {
  return createCommand(context, {
    name: 'resources',
    about: 'List all resources with their verbs and the scopes they need.',
    run: () => ({
      kind: 'data',
      data: context.api.resources.map((resource) => ({
        resource: resource.command,
        summary: resource.summary,
        verbs: operations(resource).map(({ verb, scopes }) => ({ verb, scopes })),
      })),
      columns: [
        { name: 'resource', isIndivisible: true },
        { name: 'verbs', show: (verbs) => (verbs as { verb: string }[]).map(({ verb }) => verb).join(' ') },
        { name: 'scopes', value: scopesOf },
      ],
      idField: 'resource',
    }),
  });
}

function scopesOf({ verbs }: ShownRow): string {
  const scopeNames = (verbs as { scopes: readonly string[] }[]).flatMap(({ scopes }) => scopes);
  return [...new Set(scopeNames)].join(' ');
}

export function skillCommand(context: Context): Command {
  return createCommand(context, {
    name: 'skill',
    about:
      'Print the rules of boh for coding agents, on one page: grammar, names, plans, exit codes, what needs a person.',
    examples: ['boh skill > SKILL.md'],
    run: () => ({ kind: 'text', text: skillPage(context.api) }),
  });
}

/** The argument for the schema of manifests, instead of a resource. */
const manifestWord = 'manifest';

export function schemaCommand(context: Context): Command {
  return createCommand(context, {
    name: 'schema',
    about: 'Print the JSON Schema of a record. $defs contains the input of each write.',
    args: [
      [
        '<resource>',
        'for example suppliers; manifest for the files of boh apply; output for what commands print',
      ],
      ['[name]', 'with output: the name of an output; omit to list them'],
    ],
    flags: [['--input <verb>', 'print only the input of this verb, for example create']],
    examples: [
      'boh schema suppliers --input create',
      'boh schema manifest > boh.schema.json',
      'boh schema output row',
    ],
    run: async ([name, output], { input }) => {
      if (name === outputWord && input === undefined && !context.api.findResource(name))
        return outputSchemaResult(output);
      if (output !== undefined) throw usage(`Only boh schema ${outputWord} takes a second name.`);
      return { kind: 'document', document: schemaOf(name, input, context.api) };
    },
  });
}

/** The argument for the schemas of what commands print. */
const outputWord = 'output';

/** Returns the JSON Schema of an output, or the list of all. */
async function outputSchemaResult(name: string | undefined): Promise<Result> {
  if (name === undefined) {
    const data = Object.entries(outputSchemas).map(([output, { about, commands }]) => ({
      name: output,
      about,
      commands,
    }));
    return { kind: 'data', data, idField: 'name' };
  }
  const output = outputSchemas[name];
  if (!output || !Object.hasOwn(outputSchemas, name))
    throw usage(`Unknown output "${name}".${didYouMean(name, Object.keys(outputSchemas))}`, {
      hint: boh.hint`To list all: ${boh.plain('schema', outputWord)}`,
    });
  return { kind: 'document', document: outputJsonSchema(output) };
}

function schemaOf(name: string, verb: string | undefined, api: Api): object {
  if (name === manifestWord && verb === undefined && !api.findResource(name)) {
    return manifestSchema(api);
  }
  const resource = resolveResource(name, api);
  return verb === undefined ? resourceSchema(resource) : inputSchemaOf(resource, verb);
}

function inputSchemaOf(resource: Resource, verb: string): JsonSchema {
  const writes = operations(resource).filter(({ body }) => body.length > 0);
  const operationWithInput = writes.find((operation) => operation.verb === verb);
  if (operationWithInput) return { $schema: schemaDialect, ...inputSchema(operationWithInput) };
  const verbs = writes.map((operation) => operation.verb);
  throw usage(`${resource.command} ${verb} takes no input.${didYouMean(verb, verbs)}`, {
    hint:
      verbs.length > 0
        ? `Verbs with input: ${verbs.join(', ')}.`
        : `No verb of ${resource.command} takes input.`,
  });
}

export function openapiCommand(context: Context): Command {
  return createCommand(context, {
    name: 'openapi',
    about: 'Print the API as an OpenAPI 3.1 document in JSON, or in YAML with -o yaml.',
    flags: [
      ['--flat', "describe related records only by ID, for generators that don't support circular schemas"],
    ],
    examples: ['boh openapi -o yaml > openapi.yaml', 'boh openapi --flat > openapi.json'],
    run: async (_, { flat = false }) => {
      // Without settings, the server is the default URL of `boh sandbox serve`.
      const {
        baseUrl = 'http://127.0.0.1:4010',
        apiPrefix,
        authorizeUrl,
        tokenUrl,
      } = await context.settings();
      const options = { baseUrl, apiPrefix, authorizeUrl, tokenUrl, flat };
      return { kind: 'document', document: openApiDocument(context.api, options) };
    },
  });
}

/** Returns the command that lists the known records of a reference. */
export function referenceCommand({ name }: Reference, context: Context): Command {
  const { api } = context;
  const nouns = api.nounsOf(name);
  return createCommand(context, {
    name: commandOf(name),
    about:
      `List the known ${nouns} of the account. The API has no list of them; boh collects their names from the signed-in ` +
      'user and from responses that contain them.',
    run: async () => {
      const references = await (await context.session()).names.references(name);
      const listCommands = api.collections
        .filter(
          ({ list, fields }) => list && Object.values(fields).some(({ traits }) => traits.target === name),
        )
        .map(({ command }) => command);
      return {
        kind: 'data',
        data: references,
        columns: [{ name: 'id', isIndivisible: true }, { name: 'name' }],
        idField: 'id',
        emptyNote: `No known ${nouns} yet. Lists that contain them: ${listCommands.join(', ')}.`,
        notes:
          references.length === 0
            ? []
            : [
                'Collected from the signed-in user and from responses of the last month; there may be others.',
              ],
      };
    },
  });
}
