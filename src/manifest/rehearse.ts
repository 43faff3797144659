/** A declaration tried where it costs nothing: what it touches copied into an empty account, and applied there. */
import type { Environment } from '../environment.ts';
import { Failure } from '../errors.ts';
import type { Session } from '../session/session.ts';
import { type AppliedAll, applyAll } from './apply/apply-all.ts';
import type { Declaration } from './declared/declared.ts';
import { declarationFrom } from './declared/from-values.ts';
import { Ref, refsIn, replaceRefs } from './declared/ref.ts';
import { pull, withTargets } from './pull/pull.ts';
import { Mistakes } from './source/mistakes.ts';

export interface Rehearsal {
  /** Read, and never written to. */
  account: Session;
  /** Empty, and thrown away afterwards. */
  stage: Session;
  declaration: Declaration;
  env: Environment;
  signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
  /** Makes records on the stage that the API only names, under the ids that they have in the account. */
  addReferences(references: { target: string; id: string; name: string }[]): void;
  /** Called between the copy and what is rehearsed. */
  onCopied(copied: AppliedAll): Promise<void> | void;
}

/** Throws `usage` for names of nothing, as a plan does. */
export async function rehearse(rehearsal: Rehearsal): Promise<AppliedAll> {
  const { account, stage, env, signal, now } = rehearsal;
  const references = new Map<string, Set<string>>();
  const onReference = (target: string, id: string) => {
    references.set(target, (references.get(target) ?? new Set()).add(id));
  };
  const declaration = await withIds(rehearsal.declaration, account, onReference);
  const resources = withTargets(declaration.resources, account);
  const { resources: pulled } = await pull({
    session: account,
    resources,
    isExact: false,
    withOwn: true,
    onReference,
  });
  for (const [target, ids] of references) {
    const names = new Map((await account.references(target)).map(({ id, name }) => [id, name]));
    rehearsal.addReferences([...ids].map((id) => ({ target, id, name: names.get(id) ?? id })));
  }
  const values = Object.fromEntries(pulled.map(({ resource, records }) => [resource.command, records]));
  const copy = await declarationFrom(values, 'account', account.api);
  await rehearsal.onCopied(
    await applyAll({ session: stage, declaration: copy, allowsOwn: true, env, signal, now }),
  );
  return applyAll({ session: stage, declaration, env, signal, now });
}

/** What the API has no list of by its id: the stage knows none of the account’s names. */
async function withIds(
  { records, resources }: Declaration,
  account: Session,
  onReference: (target: string, id: string) => void,
): Promise<Declaration> {
  const mistakes = new Mistakes();
  const ids = new Map<string, string>();
  const refs = records.flatMap(({ given }) => [...given.values()].flatMap(({ value }) => refsIn(value)));
  for (const ref of refs.filter(({ target }) => !account.api.resource(target))) {
    if (ids.has(ref.mark)) continue;
    const text = `@${ref.text}`;
    const found =
      ref.by.kind === 'id' ? ref.by.id : (await account.find(ref.target, [text], { orId: true })).get(text);
    if (found instanceof Failure)
      mistakes.add(ref.at, found.message.replaceAll(text, ref.text).replace(/\.$/, ''));
    else if (found !== undefined) {
      ids.set(ref.mark, found);
      onReference(ref.target, found);
    }
  }
  mistakes.throwIfAny();
  const byId = (ref: Ref) => {
    const id = ids.get(ref.mark);
    return id === undefined ? ref : new Ref(ref.target, { kind: 'id', id, text: ref.text }, ref.at, ref.only);
  };
  const changed = records.map((record) => ({
    ...record,
    given: new Map(
      [...record.given].map(([name, one]) => [name, { ...one, value: replaceRefs(one.value, byId) }]),
    ),
    key: record.key.map(({ name, value }) => ({ name, value: replaceRefs(value, byId) })),
  }));
  return { records: changed, resources };
}
