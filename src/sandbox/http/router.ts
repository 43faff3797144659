/** Finds the operation of the contract for a method and a path. */
import type { Api } from '../../api/contract/api.ts';
import { type Operation, operation, operations } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { Variant } from '../business/settings.ts';
import { methodNotAllowed, notFound } from './message.ts';
import type { RequestTarget } from './request.ts';

interface Route {
  method: string;
  /** The segments of the path; null for an ID. */
  segments: readonly (string | null)[];
  operation: Operation;
}

/** The operation of a request. */
export interface RouteMatch {
  operation: Operation;
  /** The IDs in the path, in order. */
  ids: readonly string[];
}

/** The path and verb of the settings of the business, which aren't part of the API document. Some deployments have them. */
export const businessSettings = 'settings';

/** Returns the operation of a request. Refuses unknown paths with 404, and unsupported methods with 405. */
export function route(api: Api, method: string, { segments, query }: RequestTarget): RouteMatch {
  const [name = ''] = segments;
  const resource = api.resource(name) ?? api.listOfReference(name);
  const account = api.account && operation(api.account, 'get');
  if (!resource && account && method === 'GET' && segments.join('/') === businessSettings)
    return { operation: { ...account, verb: businessSettings, path: `/${businessSettings}` }, ids: [] };
  const pathRoutes = resource ? resourceRoutes(resource).filter((route) => matchesPath(route, segments)) : [];
  if (pathRoutes.length === 0) throw notFound();
  const candidates = pathRoutes.filter((route) => acceptsMethod(route, method));
  // A GET can belong to two operations. Its query determines which.
  const selectedRoute =
    candidates.find(({ operation }) => isAction(operation, method, query)) ?? candidates[0];
  if (!selectedRoute) throw methodNotAllowed(method, [...new Set(pathRoutes.map((route) => route.method))]);
  return {
    operation: selectedRoute.operation,
    ids: segments.filter((_, index) => selectedRoute.segments[index] === null),
  };
}

/** Lets a request only read a reward, if the deployment redeems rewards by another method. */
export function applyRedeemMethod(
  request: RouteMatch & { target: RequestTarget },
  method: string,
  { 'wire.redeem_method': redeemMethod }: Variant,
): void {
  const { effect, resource, body } = request.operation;
  const get = operation(resource, 'get');
  // GET, the initial setting, accepts both methods.
  if (effect !== 'act' || redeemMethod === 'GET' || method === redeemMethod || !get) return;
  const query = [...request.target.query].filter(([name]) => !body.some((field) => field.name === name));
  Object.assign(request, { operation: get, target: { ...request.target, query: new Map(query) } });
}

/** Returns whether a route accepts a method. HEAD is accepted like GET, except for actions. */
function acceptsMethod(route: Route, method: string): boolean {
  if (method === 'HEAD') return route.method === 'GET' && route.operation.effect !== 'act';
  return route.method === method;
}

const routesByResource = new WeakMap<Resource, readonly Route[]>();

function resourceRoutes(resource: Resource): readonly Route[] {
  const routes = routesByResource.get(resource) ?? operations(resource).flatMap(operationRoutes);
  routesByResource.set(resource, routes);
  return routes;
}

/**
 * Returns the routes of an operation: one per method. Some deployments accept an alternate method, and so does the
 * sandbox.
 */
function operationRoutes(operation: Operation): Route[] {
  const segments = operation.path
    .slice(1)
    .split('/')
    .map((part) => (part.startsWith('{') ? null : part));
  const methods = [operation.method, ...(operation.alternate ? [operation.alternate] : [])];
  return methods.map((method) => ({ method, segments, operation }));
}

function matchesPath(route: Route, segments: readonly string[]): boolean {
  return (
    route.segments.length === segments.length &&
    route.segments.every((part, index) => (part === null ? segments[index] !== '' : part === segments[index]))
  );
}

function isAction({ effect, body }: Operation, method: string, query: RequestTarget['query']): boolean {
  return effect === 'act' && (method !== 'GET' || body.some(({ name }) => query.has(name)));
}
