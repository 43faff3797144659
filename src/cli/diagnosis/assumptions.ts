/** Compares what boh assumes about the service with its lists: filters, deleted records, relations and pages. Only reads. */

import type { Client } from '../../account/client/client.ts';
import type { ListQuery } from '../../account/client/request.ts';
import type { ListPage } from '../../account/client/response.ts';
import { accountKeyOf } from '../../account/session/account.ts';
import { connect } from '../../account/session/connection.ts';
import { isDeleted } from '../../account/session/list.ts';
import { openServiceFacts, type ServiceFacts } from '../../account/session/service-behavior.ts';
import type { Settings } from '../../account/settings/settings.ts';
import { deletedFilter } from '../../api/contract/filter.ts';
import { scopesToInclude } from '../../api/contract/include.ts';
import { type Operation, operation } from '../../api/contract/operation.ts';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import {
  type DiagnosisContext,
  type Finding,
  passedFinding,
  skippedFinding,
  warningFinding,
} from './finding.ts';

/** The first page of a list, and of the same list with deleted records; a failure if the service refuses it. */
interface Sample {
  list: Operation;
  page: ListPage;
  deletedPage: ListPage | Failure;
}

/** The maximum number of lists that are read. With `whoami`, a filter and a relation that is at most 10 requests. */
const maxLists = 3;

/** Returns the findings, the last of which says whether boh would change settings. `scopes` are those of the token, if known. */
export async function checkAssumptions(
  settings: Settings,
  scopes: readonly string[] | undefined,
  context: DiagnosisContext,
): Promise<Finding[]> {
  const { client } = await connect({ ...context, settings });
  const isAllowed = (needed: readonly string[]) =>
    !scopes || needed.length === 0 || ['*', ...needed].some((scope) => scopes.includes(scope));
  try {
    const lists = context.api.collections
      .filter(({ filters }) => deletedFilter(filters))
      .flatMap((resource) => operation(resource, 'list') ?? [])
      .filter((list) => isAllowed(list.scopes));
    const samples = await readSamples(lists.slice(0, maxLists), client);
    const sample = samples.find(({ page }) => page.rows.length > 0);
    if (!sample) return [skippedFinding('Lists', 'unknown: the first lists are empty or not allowed')];
    const facts = openServiceFacts(context.env, accountKeyOf(settings));
    const findings = [
      pageFinding(sample),
      await checkFilters(sample, settings, context),
      checkDeletedRecords(samples, settings, (found) => facts.put({ ...facts.get(), ...found })),
      await checkRelations(sample, client, isAllowed),
      skippedFinding(
        'Writes',
        `assumed, because only a write shows it: an update ${settings.wire.put === 'merge' ? 'keeps' : 'empties'} ` +
          `fields that it doesn't send (wire.put), and ${settings.wire.redeemMethod} redeems a reward (wire.redeem_method)`,
      ),
    ];
    const hasWarning = findings.some(({ status }) => status === 'warning');
    return [
      ...findings,
      passedFinding('Settings', hasWarning ? 'see the warnings above' : 'nothing to change'),
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [skippedFinding('Lists', `unknown: ${error.message}`)];
  }
}

/** Returns the first page, or the failure if the service refuses the query. Throws other failures. */
async function read(client: Client, list: Operation, query: ListQuery = {}): Promise<ListPage | Failure> {
  try {
    for await (const page of client.pages({ operation: list, query })) return page;
  } catch (error) {
    if (error instanceof Failure && ['refused', 'not_allowed', 'not_found'].includes(error.category))
      return error;
    throw error;
  }
  throw new Error('a list has at least one page');
}

/** Reads lists until one contains deleted records. */
async function readSamples(lists: readonly Operation[], client: Client): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const list of lists) {
    const page = await read(client, list);
    if (page instanceof Failure) continue;
    const deletedPage = await read(client, list, { filters: { is_deleted: 'true' } });
    samples.push({ list, page, deletedPage });
    if (!(deletedPage instanceof Failure) && deletedPage.rows.some(isDeleted)) break;
  }
  return samples;
}

function pageFinding({ page: { rows, perPage = rows.length, total } }: Sample): Finding {
  const totals = total === undefined ? 'without totals, so boh reads until a page is empty' : 'with totals';
  return passedFinding('Lists', `${perPage} records a page, ${totals}`);
}

/** A value that no record has as its ID or name. */
const unusedValue = '00000000-0000-0000-0000-000000000000';

/** Filters by a value that no record has: a service that ignores the filter returns records. */
async function checkFilters(
  { list }: Sample,
  settings: Settings,
  context: DiagnosisContext,
): Promise<Finding> {
  const { filterStyle } = settings.wire;
  const name = ['id', 'name'].find((candidate) =>
    list.resource.filters.some((filter) => filter.name === candidate),
  );
  if (name === undefined) return skippedFinding('Filters', 'unknown: the list has no filter to try');
  const readWith = async (style: typeof filterStyle) => {
    const styledSettings = { ...settings, wire: { ...settings.wire, filterStyle: style } };
    const { client } = await connect({ ...context, settings: styledSettings });
    return read(client, list, { filters: { [name]: unusedValue } });
  };
  const page = await readWith(filterStyle);
  const example = filterStyle === 'bracket' ? `filter[${name}]=…` : `${name}=…`;
  if (page instanceof Failure ? page.category === 'not_found' : page.rows.length === 0)
    return passedFinding('Filters', `${example} is applied`);
  const message = `${example} is ${page instanceof Failure ? `refused: ${page.message}` : 'ignored'}`;
  const otherStyle = filterStyle === 'bracket' ? 'plain' : 'bracket';
  const otherPage = await readWith(otherStyle);
  const isOtherApplied = !(otherPage instanceof Failure) && otherPage.rows.length === 0;
  return warningFinding(
    'Filters',
    message,
    isOtherApplied
      ? boh.hint`The other style works: ${boh.account('config set', 'wire.filter_style', otherStyle)}`
      : 'Names and keys may be found only by reading whole lists. Ask the support of the service about filters.',
  );
}

/** Finds out what lists contain with and without `is_deleted=true`. */
function checkDeletedRecords(
  samples: readonly Sample[],
  { wire }: Settings,
  remember: (facts: Partial<ServiceFacts>) => void,
): Finding {
  const check = 'Deleted records';
  const listsDeleted = samples.some(({ page }) => page.rows.some(isDeleted));
  if (listsDeleted) remember({ listsDeleted });
  const plainNote = listsDeleted ? '; lists without is_deleted contain them too, and boh omits them' : '';
  const styles = samples.flatMap(({ page, deletedPage }) => {
    if (deletedPage instanceof Failure || page.rows.every(isDeleted)) return [];
    return deletedPage.rows.every(isDeleted) ? 'only' : 'include';
  });
  const style = styles.includes('include') ? 'include' : styles[0];
  if (style === undefined) return skippedFinding(check, `unknown: is_deleted=true is refused${plainNote}`);
  const message = `are listed ${style === 'only' ? 'without' : 'with'} active records${plainNote}`;
  if (style === wire.deletedFilter) return passedFinding(check, message);
  const gain =
    style === 'only' ? 'Reading them takes two lists. To save the first request' : 'To read all of them';
  return warningFinding(
    check,
    message,
    boh.hint`${gain}: ${boh.account('config set', 'wire.deleted_filter', style)}`,
  );
}

/** Reads a list with a relation, and compares it with the list without. */
async function checkRelations(
  { list, page }: Sample,
  client: Client,
  isAllowed: (scopes: readonly string[]) => boolean,
): Promise<Finding> {
  const { resource } = list;
  const relation = Object.keys(resource.fields).find(
    (name) => resource.fields[name]?.traits.includable && scopesToInclude(resource, name).every(isAllowed),
  );
  if (relation === undefined) return skippedFinding('Relations', 'unknown: none can be read');
  const subject = `${relation} of ${resource.nouns}`;
  if (page.rows.some((row) => relation in row))
    return passedFinding('Relations', `lists contain the ${subject}`);
  const included = await read(client, list, { include: [relation] });
  if (included instanceof Failure) return skippedFinding('Relations', `unknown: ${included.message}`);
  return included.rows.some((row) => relation in row)
    ? passedFinding('Relations', `lists contain the ${subject} only with include, which boh requests`)
    : skippedFinding('Relations', `unknown: lists have no ${subject}`);
}
