/** From a method and a path to the operation of the contract. */
import type { Api } from '../../contract/api.ts';
import { type Operation, operations } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { methodNotAllowed, notFound } from './refusal.ts';
import type { RequestTarget } from './target.ts';

interface Route {
  method: string;
  /** Null where an id stands. */
  segments: readonly (string | null)[];
  operation: Operation;
}

export interface Match {
  operation: Operation;
  /** The ids of the path, in order. */
  ids: readonly string[];
}

/** Refuses unknown paths, and known ones with a method that none of their operations has. */
export function route(api: Api, method: string, { segments, query }: RequestTarget): Match {
  const resource = api.resource(segments[0] ?? '');
  const onPath = resource ? routesTo(resource).filter((route) => fits(route, segments)) : [];
  if (onPath.length === 0) throw notFound();
  const found = onPath.filter((route) => answers(route, method));
  // A single GET may be two operations: what it sends in the query tells them apart.
  const chosen = found.find(({ operation }) => isAsked(operation, method, query)) ?? found[0];
  if (!chosen) throw methodNotAllowed(method, [...new Set(onPath.map((route) => route.method))]);
  return { operation: chosen.operation, ids: segments.filter((_, index) => chosen.segments[index] === null) };
}

/** HEAD asks for what a GET would answer, and changes nothing. */
function answers(route: Route, method: string): boolean {
  if (method === 'HEAD') return route.method === 'GET' && route.operation.effect !== 'act';
  return route.method === method;
}

const known = new WeakMap<Resource, readonly Route[]>();

function routesTo(resource: Resource): readonly Route[] {
  const routes = known.get(resource) ?? operations(resource).flatMap(routesOf);
  known.set(resource, routes);
  return routes;
}

/** Some deployments take an action by another method: so does the sandbox. */
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

function isAsked({ effect, body }: Operation, method: string, query: RequestTarget['query']): boolean {
  return effect === 'act' && (method !== 'GET' || body.some(({ name }) => query.has(name)));
}
