/** What a transfer would do, and above all what it wouldn’t, told before anything is sent. */
import { type Failure, type FieldMessages, usage } from '../../base/errors.ts';
import { firstItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { wrap } from '../../reference/plain-text.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { isAnotherThere } from '../../transfer/match-target.ts';
import type { Findings, HeldBack, Missing, Transfer } from '../../transfer/transfer.ts';
import { flagOf } from './transfer-flags.ts';

/** All that relations lead to and the target lacks, in one failure; undefined where nothing is missing. */
export function missingFailure({ missing }: Findings, api: Api): Failure | undefined {
  if (missing.size === 0) return undefined;
  const all = [...missing.values()];
  const fields: FieldMessages = Object.create(null);
  for (const target of new Set(all.map((one) => one.target))) {
    const ofKind = all.filter((one) => one.target === target);
    fields[target] = firstItems(ofKind.map((one) => sentenceFor(one, api)));
  }
  const count = all.length === 1 ? 'One record is' : `${all.length} records are`;
  const ways = [
    ...(all.some(({ target }) => api.resource(target)) ? ['--with-references brings them along'] : []),
    ...(all.some(({ target }) => api.reference(target))
      ? [
          '--map-branch THEIRS=OURS and its like say what stands for them, --same-references that ids are the same',
        ]
      : []),
    '--skip-missing leaves such relations out',
  ];
  return usage(`${count} pointed at and missing in the target; nothing was sent.`, {
    fields,
    hint: `${ways.join('; ')}.`,
  });
}

function sentenceFor({ target, id, name, count, example }: Missing, api: Api): string {
  const what = cleanLine(name === null ? id : `${name} (${id})`);
  const who = count === 1 ? `${example} points at it` : `${count} point at it, such as ${example}`;
  const one = api.reference(target)?.one;
  return one === undefined ? `${what}: ${who}` : `${what}: ${who}; --${flagOf(one)} ${id}=…`;
}

const reasons: Readonly<Record<HeldBack, string>> = {
  deleted: 'as they are deleted (--with-deleted brings them)',
  settled: 'as they have taken effect, and would again',
  closed: 'as the target’s own have taken effect, and stay as they are',
  not_creatable: 'as the API can’t make such, and the target has none like them',
  not_writable: 'as the API has no way to write them',
};

export function tellTransfer(transfer: Transfer, { streams }: Context): void {
  const { ledger, findings, session, resources, denied } = transfer;
  const say = (text: string) => {
    for (const line of fitted(text, streams)) note(streams, line);
  };
  const nounsOf = (name: string) => session.api.nounsOf(name);
  const parts = new Map<string, string[]>();
  for (const { resource, action, state, count } of ledger.countsByResource()) {
    const what =
      state === 'bad'
        ? 'that can’t be written'
        : action === 'skip'
          ? count === 1
            ? 'as it is'
            : 'as they are'
          : `to ${action}`;
    parts.set(resource, [...(parts.get(resource) ?? []), `${count} ${what}`]);
  }
  for (const [resource, counts] of parts) say(`  ${nounsOf(resource)}: ${counts.join(', ')}`);
  for (const [why, counts] of findings.heldBack) {
    const what = [...counts].map(([name, count]) => `${count} ${nounsOf(name)}`).join(', ');
    say(`Left out, ${reasons[why]}: ${what}.`);
  }
  const relations = [...findings.leftOut].flatMap(([name, counts]) =>
    [...counts].map(([field, count]) => `${field} of ${nounsOf(name)} (${count})`),
  );
  if (relations.length > 0)
    say(`Relations left out, as what they lead to is not in the target: ${relations.join(', ')}.`);
  const closed = [...denied].filter(([name]) => parts.has(name));
  if (closed.length > 0) {
    const what = closed.map(([name, fields]) => `${nounsOf(name)}: ${[...fields].join(', ')}`);
    say(`Left out, as the token may not write them: ${what.join('; ')}.`);
  }
  const fields = resources.flatMap((resource) => {
    const names = unwrittenFields(resource);
    return names.length > 0 && parts.has(resource.name) ? [`${resource.nouns}: ${names.join(', ')}`] : [];
  });
  const documents = resources.filter(
    (resource) => isAnotherThere(transfer, resource) && parts.has(resource.name),
  );
  if (documents.length > 0) {
    const what = documents.map(({ nouns }) => nouns).join(', ');
    say(`Known again only where they are the same, as each account has its own numbers for them: ${what}.`);
  }
  if (fields.length > 0) say(`No request can give these fields: ${fields.join('; ')}.`);
}

/** In a window broken between words; in a file a line is a line. */
function fitted(text: string, { isTerminal, columns }: Context['streams']): string[] {
  if (!isTerminal.err) return [text];
  const indent = text.startsWith(' ') ? '    ' : '  ';
  return wrap(text, Math.max(40, Math.min(columns, 100)) - indent.length).map((line, at) =>
    at === 0 ? line : indent + line,
  );
}

/** Secrets, and what the service says of a record or of a link by itself. */
function unwrittenFields(resource: Resource): string[] {
  const written = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  const linked = Object.values(resource.links ?? {}).map(({ field }) => field);
  return Object.entries(resource.fields).flatMap(([name, { traits }]) => {
    if (traits.secret) return [name];
    const isWritten = written.some(({ shown, field }) => shown === name && !field.traits.leftAside);
    if (isWritten || linked.includes(name))
      return Object.entries(traits.inverseOf ? {} : (traits.pivot ?? {})).flatMap(([inner, field]) =>
        field.traits.written ? [] : [`${name}.${inner}`],
      );
    return name === 'id' || traits.kind === 'timestamp' || traits.inverseOf ? [] : [name];
  });
}
