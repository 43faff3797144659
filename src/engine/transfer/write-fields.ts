/** Groups the fields and links of a resource by the request of a transfer that writes them. */
import type { Api } from '../../api/contract/api.ts';
import { isStoredByTarget } from '../../api/contract/dependency-order.ts';
import { type BodyField, type Operation, operation, operations } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';

/** The fields and links of a resource by the request that writes them. */
export interface WriteFields {
  create: Operation | undefined;
  update: Operation | undefined;
  /** Sent with the create request. */
  createFields: readonly BodyField[];
  /** Sent right after the create request. */
  afterCreateFields: readonly BodyField[];
  /** Sent with the update request of an existing record. */
  updateFields: readonly BodyField[];
  /** Sent when all records of the resource exist. */
  laterFields: readonly BodyField[];
  /** The operations that set links together with the record. */
  linkOperations: readonly Operation[];
  laterLinkOperations: readonly Operation[];
}

const writeFieldsCache = new WeakMap<Resource, WriteFields>();

/** Returns the fields and links of a resource by the request that writes them. */
export function writeFieldsOf(api: Api, resource: Resource): WriteFields {
  const writeFields = writeFieldsCache.get(resource) ?? groupWriteFields(api, resource);
  writeFieldsCache.set(resource, writeFields);
  return writeFields;
}

function groupWriteFields(api: Api, resource: Resource): WriteFields {
  const { deferredRelations = [] } = api.dependencyOrder().find((entry) => entry.resource === resource) ?? {};
  const links = operations(resource).filter(({ effect }) => effect === 'link');
  const linkedFields = new Set(links.map(({ link }) => link?.field));
  const [create, update] = [operation(resource, 'create'), operation(resource, 'update')];
  const writableFields = (write: Operation | undefined) =>
    (write?.body ?? []).filter(
      ({ responseName, field }) =>
        !linkedFields.has(responseName) &&
        !field.traits.secret &&
        !field.traits.ignored &&
        !isStoredByTarget(api, field),
    );
  // Plain IDs may refer to records of the same resource.
  const isLater = ({ responseName, field }: BodyField) =>
    deferredRelations.includes(responseName) || field.kind === 'ids';
  const createFields = writableFields(create).filter((entry) => !isLater(entry));
  const updateFields = writableFields(update).filter((entry) => !isLater(entry));
  return {
    create,
    update,
    createFields,
    afterCreateFields: updateFields.filter(({ name }) => !createFields.some((entry) => entry.name === name)),
    updateFields,
    laterFields: writableFields(update).filter(isLater),
    linkOperations: links.filter(({ link }) => !deferredRelations.includes(link?.field ?? '')),
    laterLinkOperations: links.filter(({ link }) => deferredRelations.includes(link?.field ?? '')),
  };
}
