/** Exports the forms for records as one bundle chunk, which is loaded only on a terminal. */
export { editRecord } from './editing/edit-record.ts';
export { fillForm } from './fill-form.ts';
