/** The parts of a resource’s requests that a transfer fills in: what is given at once, with links, and once all are there. */
import type { Api } from '../contract/api.ts';
import { isKeptByOther } from '../contract/dependency-order.ts';
import { type BodyField, type Operation, operation, operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';

export interface Bodies {
  create: Operation | undefined;
  update: Operation | undefined;
  /** With the request that makes the record. */
  atCreation: readonly BodyField[];
  /** Right after it. */
  afterwards: readonly BodyField[];
  /** All that an update of a record takes that is there already. */
  always: readonly BodyField[];
  /** Once all records of the kind are there. */
  later: readonly BodyField[];
  /** Requests that set links, at once and later. */
  links: readonly Operation[];
  laterLinks: readonly Operation[];
}

const known = new WeakMap<Resource, Bodies>();

export function bodiesOf(api: Api, resource: Resource): Bodies {
  const made = known.get(resource) ?? make(api, resource);
  known.set(resource, made);
  return made;
}

function make(api: Api, resource: Resource): Bodies {
  const { later = [] } = api.dependencyOrder().find((each) => each.resource === resource) ?? {};
  const links = operations(resource).filter(({ effect }) => effect === 'link');
  const linked = new Set(links.map(({ link }) => link?.field));
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const ours = (all: Operation | undefined) =>
    (all?.body ?? []).filter(
      ({ shown, field }) =>
        !linked.has(shown) && !field.traits.secret && !field.traits.leftAside && !isKeptByOther(api, field),
    );
  // Ids that stand by themselves may be of records of the same kind.
  const isLater = ({ shown, field }: BodyField) => later.includes(shown) || field.kind === 'ids';
  const atCreation = ours(create).filter((entry) => !isLater(entry));
  const always = ours(update).filter((entry) => !isLater(entry));
  return {
    create,
    update,
    atCreation,
    afterwards: always.filter(({ name }) => !atCreation.some((entry) => entry.name === name)),
    always,
    later: ours(update).filter(isLater),
    links: links.filter(({ link }) => !later.includes(link?.field ?? '')),
    laterLinks: links.filter(({ link }) => later.includes(link?.field ?? '')),
  };
}
