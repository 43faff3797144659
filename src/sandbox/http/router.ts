/** From a method and a path to the operation of the contract. */
import type { Operation } from '../../contract/operation.ts';
import { operations } from '../../contract/operation.ts';
import { resources, whoami } from '../../resources/index.ts';
import { methodNotAllowed, notFound } from './refusal.ts';
import type { Target } from './target.ts';

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

const routes = Map.groupBy([...resources, whoami].flatMap(operations).flatMap(routesOf), firstSegment);

/** Refuses unknown paths, and known ones with a method that none of their operations has. */
export function route(method: string, { segments, query }: Target): Match {
  const onPath = (routes.get(segments[0] ?? '') ?? []).filter((route) => fits(route, segments));
  if (onPath.length === 0) throw notFound();
  const found = onPath.filter((route) => route.method === method);
  // A single GET may be two operations: what it sends in the query tells them apart.
  const chosen = found.find(({ operation }) => isAsked(operation, method, query)) ?? found[0];
  if (!chosen) throw methodNotAllowed(method, [...new Set(onPath.map((route) => route.method))]);
  return { operation: chosen.operation, ids: segments.filter((_, index) => chosen.segments[index] === null) };
}

/** An action can be called by PUT as well: deployments take it, whatever method the document gives. */
function routesOf(operation: Operation): Route[] {
  const segments = operation.path
    .slice(1)
    .split('/')
    .map((part) => (part.startsWith('{') ? null : part));
  const methods = [operation.method, ...(operation.alternate ? [operation.alternate] : [])];
  return methods.map((method) => ({ method, segments, operation }));
}

function firstSegment({ segments }: Route): string {
  return segments[0] ?? '';
}

function fits(route: Route, segments: readonly string[]): boolean {
  return (
    route.segments.length === segments.length &&
    route.segments.every((part, index) => (part === null ? segments[index] !== '' : part === segments[index]))
  );
}

function isAsked({ effect, body }: Operation, method: string, query: Target['query']): boolean {
  return effect === 'act' && (method !== 'GET' || body.some(({ name }) => query.has(name)));
}
