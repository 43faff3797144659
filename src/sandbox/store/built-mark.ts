/**
 * The mark of the tables that follow from the API that boh is built with: a file that has it needs no look at all of
 * them. The build puts it in; sources that run as they are work it out.
 */
declare const BOH_CONTRACT_MARK: string | undefined;

export const builtMark = typeof BOH_CONTRACT_MARK === 'string' ? BOH_CONTRACT_MARK : undefined;
