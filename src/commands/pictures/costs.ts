/** `boh inventory-items costs ITEM`: draws the cost of an item over time, from cost adjustments. */

import type { Context } from '../../context/context.ts';
import { requireOperation } from '../../contract/operation.ts';
import type { Pictures } from '../../contract/pictures.ts';
import type { Resource } from '../../contract/resource.ts';
import type { DisplayOptions } from '../../output/result.ts';
import { buildCostHistory, costRows } from '../../pictures/costs/cost-history.ts';
import { describeCosts, drawCosts, renderCostsSvg } from '../../pictures/costs/draw-costs.ts';
import type { Command } from '../command.ts';
import { documentResourceOf, numberOrNull, readLines } from './lines.ts';
import {
  addPictureAction,
  type FilterFlags,
  formatSentences,
  type Picture,
  stringOrNull,
} from './picture.ts';

/** Adds the flags and the action of `costs` to the command. */
export function configureCosts(command: Command, resource: Resource, context: Context): void {
  const { costs } = resource.pictures ?? {};
  if (!costs) throw new Error(`${resource.name} has no costs`);
  const documents = documentResourceOf(resource, costs);
  command.description(
    `Show the cost of one ${resource.noun} over time, from ${documents.nouns}. The filters apply to ${documents.nouns}.`,
  );
  command.argument(`<${resource.one}>`, 'the ID, or @NAME');
  addPictureAction({
    ...{
      command,
      context,
      filteredResource: documents,
      example: `boh ${resource.command} costs @${resource.exampleKey}`,
    },
    draw: (_, filterFlags, [item = '']) => draw(resource, costs, item, filterFlags, context),
  });
}

async function draw(
  resource: Resource,
  costs: NonNullable<Pictures['costs']>,
  itemId: string,
  filterFlags: FilterFlags,
  context: Context,
): Promise<Picture> {
  const get = requireOperation(resource, 'get');
  const { record } = await (await context.session()).get({ operation: get, ids: [itemId] });
  const lines = await readLines(context, resource, costs, filterFlags);
  const itemLines = lines.filter(({ item }) => item === String(record.id));
  const history = buildCostHistory(
    itemLines.map((line) => ({
      id: line.id,
      reference: line.title,
      day: line.day,
      isInEffect: line.isDone,
      branch: line.branch?.name ?? null,
      cost: line.number,
      previousCost: numberOrNull(line.linkFields[costs.previousCost]),
    })),
    numberOrNull(record[costs.currentCost]),
  );
  const name = String(record[resource.title ?? 'id'] ?? record.id);
  const sentences = describeCosts(history, { name, unit: stringOrNull(record[costs.unit]) });
  const today = context.now().toISOString().slice(0, 10);
  return {
    title: `Cost of ${name}`,
    data: costRows(history),
    key: 'id',
    sentences,
    drawLines: (display: DisplayOptions) => [
      ...drawCosts(history, today, display),
      '',
      ...formatSentences(sentences, display),
    ],
    drawHtml: () => renderCostsSvg(history, today),
  };
}
