/** The operation that a bare method and path stand for, so that `boh api` is held to what every other command is. */
import { type Operation, operations } from '../../contract/operation.ts';
import { resources, whoami } from '../../resources/index.ts';

/** Undefined where the contract has none. `target` is a path, with or without a query. */
export function operationAt(method: string, target: string): Operation | undefined {
  const [path = '', query = ''] = target.split('?');
  const names = new URLSearchParams(query);
  const here = [...resources, whoami]
    .flatMap(operations)
    .filter((operation) => operation.method === method && isAt(operation, path));
  // Redeeming is the GET of a reward with the order in its query.
  return (
    here.find(({ effect, body }) => effect === 'act' && body.every(({ name }) => names.has(name))) ?? here[0]
  );
}

function isAt(operation: Operation, path: string): boolean {
  const [expected, given] = [operation.path.split('/'), path.replace(/\/+$/, '').split('/')];
  return (
    expected.length === given.length &&
    expected.every((part, at) => part.startsWith('{') || part === given[at])
  );
}
