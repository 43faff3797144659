/** The entry point of the workbook worker thread in a single executable. */
const { load } = require('./executable-assets.cjs');

load('workbook-worker.cjs');
