/** Secret fields made unreadable wherever a record or a body is shown or kept. */

import { mask } from '../base/mask.ts';
import { isScalar } from '../base/number-text.ts';
import { type Api, apiOf } from './api.ts';
import type { Resource } from './resource.ts';

/** The same value with each secret field masked, at any depth. */
export type Mask = (value: unknown) => unknown;

/** Of sign-in; `code` is masked only where it is an OAuth code. */
const ofSignIn = [
  'client_secret',
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'code_verifier',
  'code',
];

const masks = new WeakMap<object, Mask>();

/** For the records of a resource, and of what they may hold of others. */
export function maskOf(resource: Resource): Mask {
  const known = masks.get(resource);
  if (known) return known;
  const made = maskFor([resource]);
  masks.set(resource, made);
  return made;
}

/** The same, without looking at other resources where the record holds nothing of them: a single write needs no more. */
export function maskOfFlat(resource: Resource): Mask {
  const made = flatMasks.get(resource) ?? newMaskOfFlat(resource);
  flatMasks.set(resource, made);
  return made;
}

const flatMasks = new WeakMap<Resource, Mask>();

function newMaskOfFlat(resource: Resource): Mask {
  const own = new Set([...ofSignIn, ...secretsOf(resource)]);
  return (value) => {
    const isFlat = typeof value === 'object' && value !== null && Object.values(value).every(isPlain);
    if (!isFlat) return maskOf(resource)(value);
    return Object.keys(value).some((name) => own.has(name)) ? maskOf(resource)(value) : value;
  };
}

function isPlain(value: unknown): boolean {
  return isScalar(value) || (Array.isArray(value) && value.every(isPlain));
}

/** For what a request is sent or answers: what its resource may hold; of one that the contract doesn't know, anything. */
export function maskAt(api: Api, method: string, target: string): Mask {
  const operation = api.operationAt(method, target);
  return operation ? maskOf(operation.resource) : maskOfAll(api);
}

/** For anything, whatever it is of. */
export function maskOfAll(api: Api): Mask {
  const made = masks.get(api) ?? maskFor(api.resources);
  masks.set(api, made);
  return made;
}

/** Whether a value of this name is a secret, whatever it belongs to. */
export function isSecretName(api: Api, name: string): boolean {
  return secretNames(api.resources).has(name);
}

/** The same, as far as the resource's own fields tell. */
export function isSecretOf(resource: Resource, name: string): boolean {
  return ofSignIn.includes(name) || secretsOf(resource).includes(name);
}

const names = new WeakMap<object, ReadonlySet<string>>();

function secretNames(resources: readonly Resource[]): ReadonlySet<string> {
  const made = names.get(resources) ?? new Set([...ofSignIn, ...reachable(resources).flatMap(secretsOf)]);
  names.set(resources, made);
  return made;
}

function maskFor(resources: readonly Resource[]): Mask {
  const secret = secretNames(resources);
  const masked: Mask = (value) => {
    if (!holdsSecret(value, secret)) return value;
    if (Array.isArray(value)) return value.map(masked);
    const isTokenRequest = 'grant_type' in (value as object);
    return Object.fromEntries(
      Object.entries(value as object).map(([name, inner]) => {
        const isSecret = secret.has(name) && (name !== 'code' || isTokenRequest);
        return [name, isSecret && inner != null ? mask : masked(inner)];
      }),
    );
  };
  return masked;
}

/** Whether any name at any depth could be that of a secret: nearly always none is, and nothing needs to be copied. */
function holdsSecret(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && holdsSecret(item, names)) return true;
    return false;
  }
  for (const name in value) {
    if (names.has(name)) return true;
    const inner = (value as Record<string, unknown>)[name];
    if (typeof inner === 'object' && inner !== null && holdsSecret(inner, names)) return true;
  }
  return false;
}

function secretsOf({ fields }: Resource): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.secret);
}

/** The resources, and all that relations lead to from them. */
function reachable(resources: readonly Resource[]): Resource[] {
  const found = new Set(resources);
  for (const resource of found) {
    for (const { traits } of Object.values(resource.fields)) {
      const target = apiOf(resource).resource(traits.target ?? '');
      if (target) found.add(target);
    }
  }
  return [...found];
}
