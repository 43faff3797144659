/** Redacts secret fields in records and request bodies before they are shown or stored. */

import { isScalar } from '../base/number-text.ts';
import { redactionText } from '../base/redaction.ts';
import { type Api, apiOf } from './api.ts';
import type { Resource } from './resource.ts';

/** Returns the value with all secret fields redacted, at any depth. */
export type Redactor = (value: unknown) => unknown;

/** Secret names of sign-in requests; `code` is redacted only if it is an OAuth code. */
const signInSecrets = [
  'client_secret',
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'code_verifier',
  'code',
];

const redactors = new WeakMap<object, Redactor>();

/** Returns the redactor for records of a resource and the related records that they may contain. */
export function redactorOf(resource: Resource): Redactor {
  const known = redactors.get(resource);
  if (known) return known;
  const made = redactorFor([resource]);
  redactors.set(resource, made);
  return made;
}

/** Returns the same redactor, which evaluates other resources only if a record contains related records. */
export function redactorOfFlat(resource: Resource): Redactor {
  const made = flatRedactors.get(resource) ?? newRedactorOfFlat(resource);
  flatRedactors.set(resource, made);
  return made;
}

const flatRedactors = new WeakMap<Resource, Redactor>();

function newRedactorOfFlat(resource: Resource): Redactor {
  const secrets = new Set([...signInSecrets, ...secretsOf(resource)]);
  return (value) => {
    const isFlat = typeof value === 'object' && value !== null && Object.values(value).every(isPlain);
    if (!isFlat) return redactorOf(resource)(value);
    return Object.keys(value).some((name) => secrets.has(name)) ? redactorOf(resource)(value) : value;
  };
}

function isPlain(value: unknown): boolean {
  return isScalar(value) || (Array.isArray(value) && value.every(isPlain));
}

/** Returns the redactor for the bodies of a request; for addresses outside the contract, the one for all resources. */
export function redactorAt(api: Api, method: string, target: string): Redactor {
  const operation = api.operationAt(method, target);
  return operation ? redactorOf(operation.resource) : redactorOfAll(api);
}

/** Returns the redactor for values of unknown origin: it redacts the secret fields of all resources. */
export function redactorOfAll(api: Api): Redactor {
  const made = redactors.get(api) ?? redactorFor(api.resources);
  redactors.set(api, made);
  return made;
}

/** Whether a field of this name is secret in any resource. */
export function isSecretName(api: Api, name: string): boolean {
  return secretNames(api.resources).has(name);
}

/** Whether a field of this name is secret in this resource, without its relations. */
export function isSecretOf(resource: Resource, name: string): boolean {
  return signInSecrets.includes(name) || secretsOf(resource).includes(name);
}

const names = new WeakMap<object, ReadonlySet<string>>();

function secretNames(resources: readonly Resource[]): ReadonlySet<string> {
  const made =
    names.get(resources) ?? new Set([...signInSecrets, ...reachable(resources).flatMap(secretsOf)]);
  names.set(resources, made);
  return made;
}

function redactorFor(resources: readonly Resource[]): Redactor {
  const secret = secretNames(resources);
  const masked: Redactor = (value) => {
    if (!containsSecret(value, secret)) return value;
    if (Array.isArray(value)) return value.map(masked);
    const isTokenRequest = 'grant_type' in (value as object);
    return Object.fromEntries(
      Object.entries(value as object).map(([name, inner]) => {
        const isSecret = secret.has(name) && (name !== 'code' || isTokenRequest);
        return [name, isSecret && inner != null ? redactionText : masked(inner)];
      }),
    );
  };
  return masked;
}

/** Whether the value contains a secret name at any depth. Most values don't, and needn't be copied. */
function containsSecret(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && containsSecret(item, names)) return true;
    return false;
  }
  for (const name in value) {
    if (names.has(name)) return true;
    const inner = (value as Record<string, unknown>)[name];
    if (typeof inner === 'object' && inner !== null && containsSecret(inner, names)) return true;
  }
  return false;
}

function secretsOf({ fields }: Resource): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.secret);
}

/** Returns the resources and everything that their relations lead to. */
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
