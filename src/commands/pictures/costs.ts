/** `boh inventory-items costs ITEM`: draws the cost of an item over time, from cost adjustments. */

import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import type { Pictures } from '../../contract/pictures.ts';
import type { Resource } from '../../contract/resource.ts';
import type { DisplayOptions } from '../../output/result.ts';
import { buildCostHistory, costRows } from '../../pictures/costs/cost-history.ts';
import { describeCosts, drawCosts, renderCostsSvg } from '../../pictures/costs/draw-costs.ts';
import type { Command } from '../command.ts';
import { documentsOf, numberOf, readLines } from './lines.ts';
import { addPicture, type Picture, printableSentences, type TypedFilters, textOf } from './picture.ts';

/** Adds the flags and the action to the command. */
export function configureCosts(command: Command, resource: Resource, context: Context): void {
  const { costs } = resource.pictures ?? {};
  if (!costs) throw new Error(`${resource.name} has no costs`);
  const documents = documentsOf(resource, costs);
  command.description(
    `Show the cost of one ${resource.noun} over time, from ${documents.nouns}. The filters apply to ${documents.nouns}.`,
  );
  command.argument(`<${resource.one}>`, 'the ID, or @NAME');
  addPicture({
    ...{
      command,
      context,
      filteredResource: documents,
      example: `boh ${resource.command} costs @${resource.exampleKey}`,
    },
    draw: (_, typed, [item = '']) => draw(resource, costs, item, typed, context),
  });
}

async function draw(
  resource: Resource,
  costs: NonNullable<Pictures['costs']>,
  text: string,
  typed: TypedFilters,
  context: Context,
): Promise<Picture> {
  const get = operation(resource, 'get');
  if (!get) throw new Error(`${resource.name} has no get`);
  const { record } = await (await context.session()).get({ operation: get, ids: [text] });
  const lines = await readLines(context, resource, costs, typed);
  const itemLines = lines.filter(({ item }) => item === String(record.id));
  const history = buildCostHistory(
    itemLines.map((line) => ({
      id: line.id,
      reference: line.title,
      day: line.day,
      isInEffect: line.isDone,
      branch: line.place?.name ?? null,
      cost: line.number,
      previousCost: numberOf(line.pivot[costs.previousCost]),
    })),
    numberOf(record[costs.currentCost]),
  );
  const name = String(record[resource.title ?? 'id'] ?? record.id);
  const words = describeCosts(history, { name, unit: textOf(record[costs.unit]) });
  const today = context.now().toISOString().slice(0, 10);
  return {
    title: `Cost of ${name}`,
    facts: costRows(history),
    key: 'id',
    words,
    drawLines: (page: DisplayOptions) => [
      ...drawCosts(history, today, page),
      '',
      ...printableSentences(words, page),
    ],
    drawHtml: () => renderCostsSvg(history, today),
  };
}
