/** Draws the records of a messy file: customers or inventory items with their right values, in one language. */

/** Returns a number from 0 to 1. */
export type Random = () => number;

export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;
export const chance = (random: Random, probability: number) => random() < probability;
const digits = (random: Random, count: number) =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join('');

export type CellKind = 'text' | 'code' | 'amount' | 'number' | 'day' | 'word';

export interface Column {
  field: string;
  kind: CellKind;
  /** Its name in the header of the file. */
  title: string;
}

export interface KnownTable {
  resource: 'customers' | 'inventory-items';
  columns: readonly Column[];
  /** The right values by field, as a dry run shows them. */
  records: Record<string, string | number>[];
  language: Language;
}

export interface Language {
  code: string;
  /** The encoding of older programs. */
  encoding: string;
  /** Words for names; each file uses them with numbers. */
  words: readonly string[];
  /** Headers by field. Fields without one have their API name. */
  headers: Readonly<Record<string, string>>;
  /** The word before a total, and a title. */
  total: string;
  title: string;
  gender: readonly [male: string, female: string];
}

export const languages: readonly Language[] = [
  {
    code: 'en',
    encoding: 'windows-1252',
    words: [
      'Fresh Basil',
      "Baker's Flour",
      'Olive Oil',
      'Sea Salt',
      'Total Greens',
      'Café Crème',
      'Omar Nasser',
    ],
    headers: {
      name: 'Name',
      phone: 'Mobile No',
      email: 'E-mail',
      gender: 'Sex',
      birth_date: 'Date of Birth',
      sku: 'Item Code',
      barcode: 'EAN',
      cost: 'Price',
    },
    total: 'Total',
    title: 'Price list, spring',
    gender: ['M', 'Female'],
  },
  {
    code: 'ar',
    encoding: 'windows-1256',
    words: ['طماطم', 'خيار بلدي', 'زيت زيتون', 'أحمد سالم', 'هدى الأمين', 'ملح بحري'],
    headers: {
      name: 'الاسم',
      phone: 'رقم الجوال',
      email: 'البريد الإلكتروني',
      gender: 'الجنس',
      birth_date: 'تاريخ الميلاد',
      sku: 'رمز الصنف',
      barcode: 'الباركود',
      cost: 'السعر',
    },
    total: 'المجموع',
    title: 'قائمة الأسعار',
    gender: ['ذكر', 'أنثى'],
  },
  {
    code: 'tr',
    encoding: 'windows-1254',
    words: ['Domates', 'Yeşil Biber', 'Ayşe Yılmaz', 'Zeytinyağı', 'Şeker', 'İnce Tuz'],
    headers: {
      name: 'Ad',
      phone: 'Cep Telefonu',
      email: 'E-posta',
      gender: 'Cinsiyet',
      birth_date: 'Doğum Tarihi',
      sku: 'Stok Kodu',
      barcode: 'Barkod',
      cost: 'Birim Fiyat',
    },
    total: 'Toplam',
    title: 'Fiyat listesi',
    gender: ['Erkek', 'Kadın'],
  },
  {
    code: 'de',
    encoding: 'windows-1252',
    words: ['Mehl Typ B', 'Grüne Äpfel', 'Jörg Müller', 'Weißbrot', 'Öl kaltgepresst'],
    headers: {
      name: 'Bezeichnung',
      phone: 'Telefonnummer',
      email: 'E-Mail-Adresse',
      gender: 'Geschlecht',
      birth_date: 'Geburtsdatum',
      sku: 'Artikelnummer',
      barcode: 'Strichcode',
      cost: 'Einzelpreis',
    },
    total: 'Summe',
    title: 'Preisliste Frühjahr',
    gender: ['männlich', 'weiblich'],
  },
  {
    code: 'fr',
    encoding: 'windows-1252',
    words: ['Crème fraîche', 'Huile d’olive', 'Zoé Léger', 'Pâtes à l’œuf', 'Sel de mer'],
    headers: {
      name: 'Désignation',
      phone: 'Téléphone',
      email: 'Courriel',
      gender: 'Sexe',
      birth_date: 'Date de naissance',
      sku: 'Code article',
      barcode: 'Code barres',
      cost: 'Prix unitaire',
    },
    total: 'Total général',
    title: 'Tarifs de mars',
    gender: ['homme', 'femme'],
  },
  {
    code: 'es',
    encoding: 'windows-1252',
    words: ['Jamón curado', 'Piñones', 'José Muñoz', 'Aceite virgen', 'Azúcar moreno'],
    headers: {
      name: 'Nombre',
      phone: 'Teléfono',
      email: 'Correo electrónico',
      gender: 'Género',
      birth_date: 'Fecha de nacimiento',
      sku: 'Código',
      barcode: 'Código de barras',
      cost: 'Precio',
    },
    total: 'Suma',
    title: 'Lista de precios',
    gender: ['hombre', 'mujer'],
  },
  {
    code: 'ru',
    encoding: 'windows-1251',
    words: ['Помидоры', 'Свежий базилик', 'Иван Петров', 'Соль морская'],
    headers: {},
    total: 'Итого',
    title: 'Прайс-лист',
    gender: ['male', 'female'],
  },
  {
    code: 'ja',
    encoding: 'shift_jis',
    words: ['トマト', '佐藤花子', 'オリーブ油', '海の塩', '小麦粉'],
    headers: {},
    total: '合計',
    title: '価格表',
    gender: ['1', '2'],
  },
];

const customerColumns: readonly Omit<Column, 'title'>[] = [
  { field: 'name', kind: 'text' },
  { field: 'phone', kind: 'code' },
  { field: 'dial_code', kind: 'number' },
  { field: 'email', kind: 'text' },
  { field: 'gender', kind: 'word' },
  { field: 'birth_date', kind: 'day' },
];
const itemColumns: readonly Omit<Column, 'title'>[] = [
  { field: 'sku', kind: 'code' },
  { field: 'name', kind: 'text' },
  { field: 'barcode', kind: 'code' },
  { field: 'storage_unit', kind: 'text' },
  { field: 'ingredient_unit', kind: 'text' },
  { field: 'storage_to_ingredient_factor', kind: 'number' },
  { field: 'costing_method', kind: 'word' },
  { field: 'cost', kind: 'amount' },
];

export function drawTable(random: Random): KnownTable {
  const language = pick(random, languages);
  const resource = pick(random, ['customers', 'inventory-items'] as const);
  const own = chance(random, 0.7) ? language.headers : {};
  const decorated = (title: string, kind: CellKind) => {
    if (kind === 'amount' && title !== 'cost' && chance(random, 0.2)) return `${title} (SAR)`;
    return chance(random, 0.1) ? ` ${title}: ` : title;
  };
  const columns = (resource === 'customers' ? customerColumns : itemColumns).map((column) => ({
    ...column,
    title: decorated(own[column.field] ?? column.field, column.kind),
  }));
  const count = 3 + Math.floor(random() ** 2 * 40);
  const name = (index: number) => `${pick(random, language.words)} ${pick(random, ['', 'XL '])}${index}`;
  const customer = (index: number) => ({
    name: name(index),
    phone: `${pick(random, ['5', '05', '4'])}${digits(random, 8)}`,
    dial_code: 966,
    email: `p${index}.${digits(random, 3)}@example.com`,
    gender: pick(random, [1, 2]),
    birth_date: new Date(Date.UTC(1950, 0, Math.floor(random() * 20_000))).toISOString().slice(0, 10),
  });
  const skuStart = pick(random, ['Q-', '00', 'AB', '0', 'Q/']);
  const decimals = pick(random, [0, 2, 2, 2, 2, 3]);
  const item = (index: number) => ({
    sku: `${skuStart}${digits(random, 3)}${String(index).padStart(3, '0')}`,
    name: name(index),
    barcode: `${pick(random, ['0', '628', '4'])}${digits(random, 10)}`,
    storage_unit: 'kg',
    ingredient_unit: 'g',
    storage_to_ingredient_factor: 1000,
    costing_method: 1,
    cost: Number((random() ** 3 * 9000 + 1).toFixed(decimals)),
  });
  const records = Array.from({ length: count }, (_, index) =>
    resource === 'customers' ? customer(index + 1) : item(index + 1),
  );
  return { resource, columns, records, language };
}
