/** Finds the operation of the contract for a method and a path. */
import type { Api } from '../../contract/api.ts';
import { type Operation, operations } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { methodNotAllowed, notFound } from './refusal.ts';
import type { RequestTarget } from './target.ts';

interface Route {
  method: string;
  /** Null where the path has an id. */
  segments: readonly (string | null)[];
  operation: Operation;
}

/** The operation of a request. */
export interface Match {
  operation: Operation;
  /** The ids in the path, in order. */
  ids: readonly string[];
}

/** Finds the operation. Refuses unknown paths, and methods that none of the path's operations has. */
export function route(api: Api, method: string, { segments, query }: RequestTarget): Match {
  const resource = api.resource(segments[0] ?? '');
  const onPath = resource ? routesTo(resource).filter((route) => fits(route, segments)) : [];
  if (onPath.length === 0) throw notFound();
  const found = onPath.filter((route) => answers(route, method));
  // One GET may be two operations: what it sends in the query decides.
  const chosen = found.find(({ operation }) => isAction(operation, method, query)) ?? found[0];
  if (!chosen) throw methodNotAllowed(method, [...new Set(onPath.map((route) => route.method))]);
  return { operation: chosen.operation, ids: segments.filter((_, index) => chosen.segments[index] === null) };
}

/** HEAD is answered like a GET that changes nothing. */
function answers(route: Route, method: string): boolean {
  if (method === 'HEAD') return route.method === 'GET' && route.operation.effect !== 'act';
  return route.method === method;
}

const routesByResource = new WeakMap<Resource, readonly Route[]>();

function routesTo(resource: Resource): readonly Route[] {
  const routes = routesByResource.get(resource) ?? operations(resource).flatMap(routesOf);
  routesByResource.set(resource, routes);
  return routes;
}

/** Some deployments accept an action by another method too, and so does the sandbox. */
function routesOf(operation: Operation): Route[] {
  const segments = operation.path
    .slice(1)
    .split('/')
    .map((part) => (part.startsWith('{') ? null : part));
  const methods = [operation.method, ...(operation.alternate ? [operation.alternate] : [])];
  return methods.map((method) => ({ method, segments, operation }));
}

function fits(route: Route, segments: readonly string[]): boolean {
  return (
    route.segments.length === segments.length &&
    route.segments.every((part, index) => (part === null ? segments[index] !== '' : part === segments[index]))
  );
}

function isAction({ effect, body }: Operation, method: string, query: RequestTarget['query']): boolean {
  return effect === 'act' && (method !== 'GET' || body.some(({ name }) => query.has(name)));
}
