/** Common names of columns in spreadsheets, in English and Arabic, by their fields. */
import { foldText } from '../../base/fold-text.ts';
import type { Resource } from '../../contract/resource.ts';
import { columnsOf, normalizeColumnName } from './columns.ts';

/** Synonyms by field. If several fields have the same synonym, the first field that the resource has is used. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  name: [
    ...['full name', 'customer name', 'customer', 'item name', 'product name', 'supplier name', 'title'],
    ...['الاسم', 'الإسم', 'اسم العميل', 'الاسم الكامل', 'اسم الصنف', 'اسم المورد', 'الصنف'],
  ],
  name_localized: [
    'arabic name',
    'name arabic',
    'name ar',
    'localized name',
    'الاسم بالعربية',
    'الاسم العربي',
  ],
  dial_code: ['country code', 'calling code', 'dialing code', 'رمز الدولة', 'مفتاح الدولة'],
  phone: [
    ...[
      'mobile',
      'mobile number',
      'mobile no',
      'mobile no.',
      'cell',
      'cell phone',
      'telephone',
      'tel',
      'tel.',
    ],
    ...['phone number', 'phone no', 'phone no.', 'contact number', 'whatsapp'],
    ...['الجوال', 'رقم الجوال', 'جوال', 'الهاتف', 'رقم الهاتف', 'هاتف', 'الموبايل', 'رقم الموبايل', 'موبايل'],
  ],
  email: [
    ...['e mail', 'e-mail', 'mail', 'email address', 'e mail address'],
    ...['البريد الإلكتروني', 'البريد الالكتروني', 'البريد', 'الإيميل', 'ايميل'],
  ],
  gender: ['sex', 'الجنس', 'النوع'],
  birth_date: ['date of birth', 'birthday', 'birthdate', 'dob', 'd.o.b.', 'تاريخ الميلاد', 'تاريخ الولادة'],
  contact_name: ['contact', 'contact person', 'جهة الاتصال', 'اسم المسؤول', 'الشخص المسؤول'],
  code: ['supplier code', 'vendor code', 'رمز المورد', 'كود المورد', 'الرمز', 'الكود'],
  sku: [
    ...['item code', 'product code', 'item no', 'item no.', 'item number', 'article', 'code'],
    ...['رمز الصنف', 'كود الصنف', 'رقم الصنف', 'رمز المنتج', 'الرمز', 'الكود'],
  ],
  barcode: ['bar code', 'ean', 'upc', 'gtin', 'الباركود', 'باركود'],
  category: ['category name', 'item category', 'الفئة', 'التصنيف', 'القسم'],
  storage_unit: ['unit', 'uom', 'unit of measure', 'stock unit', 'الوحدة', 'وحدة التخزين', 'وحدة القياس'],
  cost_per_unit: ['cost', 'new cost', 'unit cost', 'cost price', 'التكلفة', 'التكلفة الجديدة', 'سعر التكلفة'],
  cost: ['unit cost', 'cost price', 'purchase price', 'التكلفة', 'سعر التكلفة', 'سعر الشراء'],
  price: ['selling price', 'sale price', 'unit price', 'السعر', 'سعر البيع'],
  quantity: [
    ...['qty', 'qty.', 'count', 'counted', 'counted quantity', 'physical count', 'amount'],
    ...['الكمية', 'العدد', 'الكمية الفعلية', 'الجرد'],
  ],
  minimum_level: ['minimum', 'min', 'min level', 'reorder level', 'الحد الأدنى'],
  maximum_level: ['maximum', 'max', 'max level', 'الحد الأقصى'],
  par_level: ['par', 'target', 'المستوى المستهدف'],
  branch: ['branch name', 'store', 'outlet', 'location', 'الفرع', 'اسم الفرع'],
  warehouse: ['warehouse name', 'from warehouse', 'المستودع', 'المخزن'],
  business_date: ['date', 'count date', 'التاريخ'],
  reference: ['ref', 'ref.', 'reference no', 'reference number', 'document no', 'document number', 'المرجع'],
  status: ['state', 'الحالة'],
  notes: ['note', 'remarks', 'comment', 'comments', 'ملاحظات', 'ملاحظة'],
  description: ['address', 'full address', 'street', 'العنوان', 'الوصف'],
  latitude: ['lat', 'خط العرض'],
  longitude: ['lng', 'lon', 'long', 'خط الطول'],
  tags: ['labels', 'الوسوم', 'العلامات'],
  rate: ['percentage', 'percent', 'tax rate', 'النسبة'],
  is_active: ['active', 'enabled', 'نشط', 'مفعل'],
  is_blacklisted: ['blacklisted', 'blocked', 'محظور'],
};

const cachedFields = new Map<string, string[]>();

function fieldsByTerm(): ReadonlyMap<string, readonly string[]> {
  if (cachedFields.size > 0) return cachedFields;
  for (const [field, terms] of Object.entries(synonyms))
    for (const term of terms)
      cachedFields.set(normalizedTerm(term), [...(cachedFields.get(normalizedTerm(term)) ?? []), field]);
  return cachedFields;
}

/** Returns a term without spaces, punctuation, case, accents and variants of Arabic letters. */
function normalizedTerm(term: string): string {
  return foldText(normalizeColumnName(term)).replaceAll(/[_.:*#()]+/g, '');
}

/**
 * Returns the field for a common column name; undefined if the resource has no such field. `otherNames` are column names that
 * files of the resource may have in addition to its fields.
 */
export function findFieldBySynonym(
  resource: Resource,
  name: string,
  otherNames: readonly string[],
): string | undefined {
  const fields = fieldsByTerm().get(normalizedTerm(name)) ?? [];
  const writableColumns = columnsOf(resource).filter(({ role }) => role === 'value');
  return fields.find(
    (field) => otherNames.includes(field) || writableColumns.some((column) => column.name === field),
  );
}

/** Returns all synonyms for the fields of a resource as normalized column names, to recognize a header. */
export function synonymsFor(resource: Resource, otherNames: readonly string[]): string[] {
  return Object.values(synonyms)
    .flat()
    .filter((term) => findFieldBySynonym(resource, term, otherNames) !== undefined)
    .map(normalizeColumnName);
}
