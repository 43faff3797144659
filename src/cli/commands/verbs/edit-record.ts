/** `update ID --edit`: changes a record in the user's editor. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { isRow, type Row } from '../../../account/client/shape.ts';
import type { Field } from '../../../api/contract/field.ts';
import { linkFields, type Operation } from '../../../api/contract/operation.ts';
import { validateBody } from '../../../api/contract/validate.ts';
import { formatInput, type ParseResult, parseValue } from '../../../api/contract/value-text.ts';
import { capitalize } from '../../../api/contract/wording.ts';
import { describeField } from '../../../api/reference/value-descriptions.ts';
import { startShell } from '../../../base/child-process.ts';
import { Failure, type FieldMessages, usage, violations } from '../../../base/errors.ts';
import { boh, joinHints } from '../../../base/hint.ts';
import { describeInexactness } from '../../../base/number-text.ts';
import { replaceFile } from '../../../base/replace-file.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../base/temporary-folder.ts';
import { parseYamlValues } from '../../../base/yaml-values.ts';
import type { Context } from '../../context/context.ts';
import { type KindPresentation, presentationOf } from '../../context/kinds.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import type { Result } from '../../output/result.ts';
import { describeRecord, inferTitle } from '../../output/wording.ts';
import { completeIds } from '../../prompts/missing-input.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { ignoreInterrupts } from '../../terminal/keys.ts';
import { reportFailure } from '../../terminal/messages.ts';
import { formatYamlDocument, preserveExactNumber, yamlOptions } from '../../terminal/yaml-text.ts';

/** Opens a record in the editor and sends the fields that were changed. */
export async function editRecord(
  context: Context,
  operation: Operation,
  initialIds: readonly string[],
): Promise<Result> {
  refuseWithoutEditor(context);
  const ids = await completeIds(context, operation, initialIds);
  const session = await context.session();
  await session.permissions.checkPermission({ operation, ids });
  const current = await session.updates.current({ operation, ids });
  const before = formatRecordText(operation, current);
  const { resource } = operation;
  const update = await editText(context, { name: `${resource.one}.yaml`, text: before }, async (saved) => {
    const changes = validateChanges(context, operation, before, saved);
    if (Object.keys(changes).length === 0) return undefined;
    const recordBefore = current.record;
    const outcome = await session.write({ operation, ids: [current.id], body: changes }, { recordBefore });
    return outcome.planned || !outcome.recordResponse ? undefined : { ...outcome.recordResponse, changes };
  });
  if (!update) return { kind: 'nothing', notes: ['No changes. Nothing was sent.'] };
  const name = describeRecord(resource.noun, current.id, update.record);
  const commandLine = formatCommandLine(context.globals, operation, [current.id], update.changes);
  const completedWrite = {
    message: `${capitalize(name)} ${operation.pastTense}.`,
    check: boh.account(`${resource.command} get`, current.id),
  };
  const notes = [completedWrite.message, 'To repeat this without the editor:', `  ${commandLine}`];
  return {
    kind: 'record',
    resource,
    record: update.record,
    body: update.body,
    notes,
    completedWrite,
  };
}

function refuseWithoutEditor({ globals, streams }: Context): void {
  if (globals.dryRun) throw usage("--edit can't be combined with --dry-run: it reads the record first.");
  if (streams.interactive) return;
  throw usage('--edit needs a terminal for the editor.', {
    hint: 'Pass the fields as flags instead. To list the flags: --help',
  });
}

function validateChanges(context: Context, operation: Operation, before: string, after: string): Row {
  const { body, problems } = findChanges(operation, before, after);
  const allProblems = { ...(context.globals.unchecked ? {} : validateBody(operation, body)), ...problems };
  if (Object.keys(allProblems).length === 0) return body;
  throw violations('text', allProblems);
}

type UseText<Result> = (saved: string) => Promise<Result>;

/**
 * Opens text in the editor until `use` accepts it. After a failure that another edit can fix, the editor can be opened
 * again. If the last attempt fails and the text was changed, the file is kept and the failure contains its path.
 */
async function editText<Result>(
  context: Context,
  { name, text }: { name: string; text: string },
  use: UseText<Result>,
): Promise<Result> {
  const folder = createTemporaryFolder('edit');
  try {
    const file = join(folder.path, name);
    await replaceFile(file, text, { newFileMode: 0o600 });
    const result = await editUntilAccepted(context, file, use);
    folder.remove();
    return result;
  } catch (error) {
    throw await keepChangedText(error, { folder, name, text });
  }
}

async function editUntilAccepted<Result>(
  context: Context,
  path: string,
  use: UseText<Result>,
): Promise<Result> {
  for (;;) {
    await openEditor(path, context);
    context.signal.throwIfAborted();
    const saved = await readSavedFile(path);
    try {
      return await use(decodeUtf8(saved));
    } catch (error) {
      if (!(error instanceof Failure) || !isFixable(error)) throw error;
      reportFailure(error, context.streams);
      const prompts = await promptsFor(context.streams);
      if (await prompts.confirm({ message: 'Open the editor again?', initial: true })) continue;
      throw new Failure(error.category, 'Nothing was sent.');
    }
  }
}

/** Returns whether another edit can fix a failure: the text can't be read, or the service refuses it. */
function isFixable({ category }: Failure): boolean {
  return category === 'usage' || category === 'refused' || category === 'not_found';
}

/** Keeps the file of a changed text and adds its path to the failure. Removes the file of an unchanged text. */
async function keepChangedText(
  error: unknown,
  { folder, name, text }: { folder: TemporaryFolder; name: string; text: string },
): Promise<unknown> {
  const savedBytes = await readFile(join(folder.path, name)).catch(() => undefined);
  if (savedBytes === undefined || savedBytes.equals(Buffer.from(text)) || !(error instanceof Failure)) {
    folder.remove();
    return error;
  }
  const savedNote = `Your text was saved to ${join(folder.keep(), name)}`;
  return new Failure(error.category, error.message, {
    ...error.details,
    hint: joinHints('\n', error.details.hint, savedNote),
  });
}

const editorHint = 'Set the environment variable VISUAL or EDITOR to choose the editor.';

/** Opens a file in $VISUAL or $EDITOR, and waits until the editor exits. */
async function openEditor(path: string, context: Context): Promise<void> {
  const { env } = context;
  const editor = env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const release = ignoreInterrupts();
  try {
    const exitCode = await runEditor(editor, path, context);
    if (exitCode === 0) return;
    const exitDescription = exitCode === null ? 'a signal' : `exit code ${exitCode}`;
    const reason = exitCode === 127 ? 'was not found' : `failed with ${exitDescription}`;
    throw usage(`The editor "${editor}" ${reason}. Nothing was sent.`, { hint: editorHint });
  } finally {
    release();
  }
}

/** Runs the editor on stderr's terminal: stdout is only for the result. */
function runEditor(editor: string, path: string, { env, signal }: Context): Promise<number | null> {
  const commandLine = process.platform === 'win32' ? `${editor} "${path}"` : `${editor} "$1"`;
  const child = startShell(commandLine, [editor, path], { env, stdio: ['inherit', 2, 2], signal });
  return new Promise((resolve, reject) => {
    child.on('error', () =>
      reject(signal.aborted ? signal.reason : usage(`Can't start the editor "${editor}".`)),
    );
    child.on('exit', resolve);
  });
}

async function readSavedFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw usage("Can't read the edited file. Nothing was sent.", {
      hint: editorHint,
      cause,
    });
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw violations('text', { _: ["isn't UTF-8: save it as UTF-8 in the editor"] });
  }
}

/** A record, and its values as an update would send them. */
export interface EditableRecord {
  id: string;
  record: Row;
  body: Row;
}

/** Returns YAML with an entry for each field that an update takes, below a comment that describes it. Secrets are omitted. */
export function formatRecordText(
  { body: fields, resource }: Operation,
  { id, record, body }: EditableRecord,
): string {
  const document = new Document<Node>({}, yamlOptions);
  document.commentBefore = [
    ` ${resource.noun} ${cleanLine(id)}: ${cleanLine(inferTitle(record))}`,
    ' Edit the values, save the file and close the editor. Only changed fields are sent.',
    ' null clears a field that may be empty. To cancel, change nothing.',
  ].join('\n');
  for (const { name, responseName, field } of fields) {
    if (field.traits.secret) continue;
    const value = document.createNode(editableValue(field, body[name] ?? null), preserveExactNumber);
    const pair = document.createPair(name, value);
    const key = document.createNode(name) as Scalar;
    key.commentBefore = ` ${describeField(field)}`;
    key.spaceBefore = name !== fields[0]?.name;
    addNameComments(pair.value, record[name] ?? record[responseName]);
    if (isMap(document.contents)) document.contents.add({ ...pair, key });
  }
  return formatYamlDocument(document);
}

/** Returns a value in its edited form: enumerations as words, relations as IDs. */
function editableValue(field: Field, value: unknown): unknown {
  if (value === null) return null;
  if (field.kind === 'choice') return formatInput(field, value) ?? value;
  if (field.kind === 'integers') return formatInput(field, value)?.split(',') ?? value;
  if (field.kind !== 'many' || linkFields(field).length > 0 || !Array.isArray(value)) return value;
  return value.map((link) => (isRow(link) ? link.id : link));
}

/** Adds the name of the related record as a comment to each ID. */
function addNameComments(node: unknown, related: unknown): void {
  const rows = (Array.isArray(related) ? related : [related]).filter(isRow);
  const nodes = isSeq(node) ? node.items.map((item) => (isMap(item) ? item.get('id', true) : item)) : [node];
  for (const idNode of nodes) {
    const row = isScalar(idNode) ? rows.find(({ id }) => id === idNode.value) : undefined;
    const title = row && inferTitle(row);
    if (isScalar(idNode) && title && title !== idNode.value) idNode.comment = ` ${cleanLine(title)}`;
  }
}

/** The changes in an edited text. */
export interface Changes {
  /** The changed fields as they are sent. */
  body: Row;
  /** Values that can't be read, by field. `_` has messages about the whole text, with their line. */
  problems: FieldMessages;
}

/** Returns the fields whose values differ between the original and the edited YAML. A deleted line leaves its field unchanged. */
export function findChanges(operation: Operation, before: string, after: string): Changes {
  const [original, edited] = [parseRecordText(before), parseRecordText(after)];
  const body: Row = {};
  // Keys are typed by the user: __proto__ has to be a key like any other.
  const problems: FieldMessages = Object.create(null);
  if (edited.problems.length > 0) problems._ = edited.problems;
  for (const [name, value] of edited.fields) {
    const field = operation.body.find((candidate) => candidate.name === name)?.field;
    if (!field || field.traits.secret) {
      const { command } = operation.resource;
      problems[name] = [`can't be changed: it isn't a field of ${command} that --edit supports`];
      continue;
    }
    const originalValue = original.fields.get(name);
    if (isDeepStrictEqual(value, originalValue)) continue;
    const result = parseField(field, value);
    if (result.problem !== undefined) problems[name] = [result.problem];
    else if (!originalValue || !isDeepStrictEqual(result, parseField(field, originalValue)))
      body[name] = result.value;
  }
  return { body, problems };
}

/** A YAML value, and the same value with the source of each scalar, so that a phone number keeps its zeros. */
interface YamlField {
  value: unknown;
  source: unknown;
}

function parseRecordText(text: string): { fields: Map<string, YamlField>; problems: string[] } {
  const fail = (problems: readonly string[]) => ({ fields: new Map(), problems: [...problems] });
  const [typed, otherDocument] = parseYamlValues(text);
  const [sources] = parseYamlValues(text, { schema: 'failsafe' });
  if (otherDocument) return fail(['must be one document, without a line "---"']);
  if (!typed?.document.contents) return fail(typed?.problems ?? []);
  const problems = typed.problems.length > 0 ? typed.problems : (sources?.problems ?? []);
  if (problems.length > 0) return fail(problems);
  if (!isRow(typed.value) || !isRow(sources?.value))
    return fail(['must consist of lines like "field: value"']);
  const sourceRow = sources.value;
  const fields = Object.entries(typed.value).map(
    ([name, value]) => [name, { value, source: sourceRow[name] }] as const,
  );
  return { fields: new Map(fields), problems: [] };
}

function parseField(field: Field, yaml: YamlField): ParseResult {
  return yaml.value === null ? { value: null } : fieldParsers[presentationOf(field).editFormat](field, yaml);
}

const fieldParsers: Readonly<
  Record<KindPresentation['editFormat'], (field: Field, yaml: YamlField) => ParseResult>
> = {
  value: (field, { source }) =>
    typeof source === 'string' ? parseValue(field, source) : { problem: 'must be a single value' },
  values: (_, { source }) => parseItems(source, (item) => ({ value: String(item) })),
  words: (field, { source }) =>
    parseItems(source, (item) => {
      const { value, problem } = parseValue(field, String(item));
      return problem === undefined ? { value: Array.isArray(value) ? value[0] : value } : { problem };
    }),
  links: (_, { value, source }) =>
    parseItems(source, (item, index) => {
      const link = Array.isArray(value) ? value[index] : undefined;
      if (!isRow(item) || !isRow(link)) return { value: { id: String(item) } };
      return (
        findInexactNumber(link, item) ?? { value: 'id' in item ? { ...link, id: String(item.id) } : link }
      );
    }),
  nested: (_, { value, source }) => findInexactNumber(value, source) ?? { value },
};

function parseItems(source: unknown, parseItem: (item: unknown, index: number) => ParseResult): ParseResult {
  if (!Array.isArray(source)) return { problem: 'must be a list: one value per line, after a dash' };
  const results = source.map(parseItem);
  return results.find(({ problem }) => problem !== undefined) ?? { value: results.map(({ value }) => value) };
}

/** Returns a problem for a number, except IDs, that YAML would read as another number. */
function findInexactNumber(value: unknown, source: unknown): ParseResult | undefined {
  if (typeof value === 'number') {
    const description = describeInexactness(String(source));
    return description === undefined ? undefined : { problem: `can't be used: ${source} ${description}` };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const sources = source as Row;
  return Object.entries(value)
    .map(([name, inner]) => (name === 'id' ? undefined : findInexactNumber(inner, sources[name])))
    .find((problem) => problem !== undefined);
}
