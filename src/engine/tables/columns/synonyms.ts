/** Common names of columns in spreadsheets, by their fields, and common words for values, in seven languages. */
import { isMoney } from '../../../api/contract/field.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { foldText } from '../../../base/fold-text.ts';
import { currencyCode } from './amounts.ts';
import { columnsOf, normalizeColumnName } from './columns.ts';

/** Names in English, Arabic, Turkish, German, French and Spanish. If several fields have a name, the first one of the resource is used. */
const synonyms: Readonly<Record<string, string>> = {
  customer: `customer name, client, client name, العميل, اسم العميل, الزبون, müşteri, müşteri adı, kunde, kundenname,
    nom du client, cliente, nombre del cliente`,
  name_localized: 'arabic name, name arabic, name ar, localized name, الاسم بالعربية, الاسم العربي',
  name: `full name, customer, customer name, client, client name, item, item name, product, product name, supplier name, vendor name,
    title, description, item description, product description, الاسم, الإسم, العميل, اسم العميل, الزبون, الاسم الكامل, الصنف, اسم الصنف, المنتج,
    اسم المنتج, اسم المورد, البيان, ad, adı, isim, ad soyad, adı soyadı, müşteri, müşteri adı, ürün, ürün adı, malzeme, malzeme adı,
    tedarikçi adı, bezeichnung, artikelbezeichnung, artikelname, produkt, produktname, kunde, kundenname, lieferantenname, nom, nom complet,
    nom du client, désignation, libellé, produit, nombre, nombre completo, cliente, nombre del cliente, producto, artículo, descripción`,
  dial_code: `country code, calling code, dialing code, رمز الدولة, مفتاح الدولة, ülke kodu, ländervorwahl, vorwahl, indicatif,
    código de país`,
  phone: `mobile, mobile number, mobile no, mobile phone, cell, cell phone, telephone, tel, phone number, phone no, contact number, whatsapp,
    الجوال, رقم الجوال, جوال, الهاتف, رقم الهاتف, هاتف, الموبايل, رقم الموبايل, موبايل, telefon, telefon no, telefon numarası, cep, cep telefonu,
    gsm, telefonnummer, handy, handynummer, mobil, rufnummer, téléphone, tél, numéro de téléphone, portable, teléfono, número de teléfono,
    móvil, celular`,
  email: `e mail, mail, email id, email address, e mail address, البريد الإلكتروني, البريد الالكتروني, البريد, الإيميل, ايميل, e posta, e mail adresse,
    courriel, adresse e mail, correo, correo electrónico`,
  gender: 'sex, الجنس, النوع, cinsiyet, geschlecht, sexe, genre, sexo, género',
  birth_date: `date of birth, birthday, birthdate, dob, تاريخ الميلاد, تاريخ الولادة, doğum tarihi, geburtsdatum, geburtstag,
    date de naissance, fecha de nacimiento`,
  contact_name: `contact, contact person, جهة الاتصال, اسم المسؤول, الشخص المسؤول, yetkili, ilgili kişi, ansprechpartner, kontakt,
    contacto, persona de contacto`,
  code: `supplier code, vendor code, رمز المورد, كود المورد, الرمز, الكود, kod, tedarikçi kodu, lieferantennummer, code fournisseur, código`,
  sku: `item code, product code, item no, item number, product no, article, article no, code, reference, رمز الصنف, كود الصنف, رقم الصنف,
    رمز المنتج, كود المنتج, الرمز, الكود, kod, ürün kodu, stok kodu, malzeme kodu, artikelnummer, artikel nr, artikelnr, art nr, code article,
    référence article, réf, código, código de producto, código de artículo, referencia`,
  barcode: `bar code, ean, upc, gtin, الباركود, باركود, barkod, strichcode, code barres, code barre, código de barras`,
  category: `category name, item category, الفئة, التصنيف, القسم, kategori, kategorie, warengruppe, catégorie, famille, categoría, familia`,
  storage_unit: `unit, uom, unit of measure, stock unit, الوحدة, وحدة التخزين, وحدة القياس, birim, einheit, mengeneinheit, unité, unidad,
    unidad de medida`,
  order_unit: `unit, uom, unit of measure, pack, pack size, packing, packaging, الوحدة, العبوة, التعبئة, birim, ambalaj, einheit,
    verpackung, gebinde, unité, conditionnement, unidad, envase, presentación`,
  price: `selling price, sale price, unit price, السعر, سعر البيع, سعر الوحدة, fiyat, satış fiyatı, birim fiyat, preis, verkaufspreis, einzelpreis,
    prix, prix de vente, prix unitaire, precio, precio de venta, precio unitario, pvp`,
  rate: `percentage, percent, tax rate, النسبة, oran, kdv oranı, steuersatz, taux, tasa, porcentaje`,
  cost_per_unit: `cost, new cost, new price, unit cost, cost price, purchase price, price, unit price, net, net price, rate, التكلفة, التكلفة الجديدة,
    سعر التكلفة, سعر الشراء, السعر, سعر الوحدة, maliyet, fiyat, birim fiyat, alış fiyatı, kosten, preis, einzelpreis, einkaufspreis, coût, prix,
    prix unitaire, prix d'achat, coste, costo, precio, precio unitario, precio de compra`,
  cost: `unit cost, cost price, purchase price, price, new price, unit price, net, net price, net cost, rate, التكلفة, سعر التكلفة, سعر الشراء, السعر, سعر,
    سعر الوحدة, maliyet, fiyat, birim fiyat, alış fiyatı, kosten, preis, einzelpreis, einkaufspreis, nettopreis, preis netto, netto, coût, prix, prix unitaire,
    prix d'achat, prix net, prix ht, coste, costo, precio, precio unitario, precio de compra, precio neto, neto`,
  quantity: `qty, count, counted, counted quantity, physical count, amount, الكمية, العدد, الكمية الفعلية, الجرد, miktar, adet, sayım,
    menge, anzahl, quantité, qté, cantidad`,
  minimum_level: 'minimum, min, min level, reorder level, الحد الأدنى, asgari, mindestbestand, mínimo',
  maximum_level: 'maximum, max, max level, الحد الأقصى, azami, höchstbestand, máximo',
  par_level: 'par, target, المستوى المستهدف, hedef, sollbestand',
  branch: `branch name, store, outlet, location, الفرع, اسم الفرع, şube, filiale, standort, succursale, magasin, sucursal, tienda`,
  warehouse: `warehouse name, from warehouse, المستودع, المخزن, depo, lager, entrepôt, dépôt, almacén, bodega`,
  business_date: `date, count date, التاريخ, tarih, datum, fecha`,
  reference: `ref, reference no, reference number, document no, document number, المرجع, referans, belge no, belegnummer, réf, referencia`,
  status: 'state, الحالة, durum, statut, estado',
  notes: `note, remarks, comment, comments, ملاحظات, ملاحظة, notlar, notizen, bemerkung, remarque, notas, observaciones`,
  description: `address, full address, street, العنوان, الوصف, adres, adresse, anschrift, dirección`,
  latitude: 'lat, خط العرض, enlem, breitengrad, latitud',
  longitude: 'lng, lon, long, خط الطول, boylam, längengrad, longitud',
  tags: 'labels, الوسوم, العلامات, etiketler, étiquettes, etiquetas',
  is_active: 'active, enabled, نشط, مفعل, aktif, aktiv, actif, activo',
  is_blacklisted: 'blacklisted, blocked, محظور, gesperrt, bloqué, bloqueado',
};

/** Words for yes and no, and for the values of enumerations, also in Persian, Italian, Portuguese and Russian. H and M mean other genders in Spanish. */
const valueWords: Readonly<Record<string, string>> = {
  true: `true, yes, y, 1, on, ✓, ✔, نعم, بله, بلی, صح, ja, wahr, oui, vrai, si, sí, verdadero, vero, sim, verdadeiro, evet, doğru, да, истина`,
  false: `false, no, n, 0, off, لا, خیر, خطأ, nein, falsch, non, faux, falso, nao, hayır, yanlış, нет, ложь`,
  male: `male, m, man, ذكر, رجل, erkek, bay, e, männlich, mann, herr, masculin, homme, masculino, hombre, varón, мужской, муж, м, 男, 男性, mr`,
  female: `female, f, woman, أنثى, امرأة, kadın, bayan, k, weiblich, w, frau, féminin, femme, femenino, mujer, женский, жен, ж, 女, 女性, mrs, ms, miss, mme, mlle`,
};

/** Words that begin a row of totals, also in Malay, Persian, Italian, Portuguese, Polish, Russian, Japanese and Chinese. */
const rowWords: Readonly<Record<string, string>> = {
  total: `total, totals, sub total, grand total, net total, sum, total amount, total qty, total quantity, total items, total cost, total value,
    total price, المجموع, مجموع, الإجمالي, إجمالي, المجموع الكلي, الإجمالي الكلي, المجموع الفرعي, المجموع العام, toplam, genel toplam, ara toplam,
    summe, gesamt, gesamtsumme, zwischensumme, endsumme, total général, sous total, somme, total general, suma, suma total, totale, subtotale,
    totale generale, total geral, soma, jumlah, جمع, جمع کل, razem, итого, всего, 合計, 小計, 総計, 合计, 小计, 总计, 總計`,
  tax: `vat, tax, taxes, sales tax, gst, total vat, total tax, الضريبة, ضريبة, ضريبة القيمة المضافة, kdv, toplam kdv, mwst, ust, mehrwertsteuer,
    umsatzsteuer, tva, taxe, taxes, montant tva, iva, impuesto, impuestos, imposto, ppn, ндс, 消費税`,
  statistic: `average, avg, count, item count, items, المتوسط, متوسط, العدد, ortalama, adet, durchschnitt, mittelwert, anzahl, moyenne, promedio,
    média, rata rata, среднее, 平均`,
};

const parsedTables = new Map<unknown, ReadonlyMap<string, readonly string[]>>();

function keysByTerm(table: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const parsed = parsedTables.get(table);
  if (parsed) return parsed;
  const terms = Object.entries(table).flatMap(([key, words]) =>
    words.split(',').map((word) => [normalizedTerm(word), key] as const),
  );
  const keys = new Map<string, string[]>();
  for (const [term, key] of terms) keys.set(term, [...(keys.get(term) ?? []), key]);
  parsedTables.set(table, keys);
  return keys;
}

/** Returns a term without spaces, punctuation, case, accents and variants of letters. */
function normalizedTerm(term: string): string {
  const folded = foldText(term).replaceAll('ı', 'i');
  return folded.replaceAll(/[^\p{L}\p{N}]/gu, '') || folded.trim();
}

/** Returns the value of an enumeration or boolean for a common word: `true` or `male`; undefined for other words. */
export function findValueWord(word: string): string | undefined {
  return keysByTerm(valueWords).get(normalizedTerm(word))?.[0];
}

/**
 * Returns whether a text is a word for a total, perhaps with a number of rows, a percentage or a currency: `Total: 12`, `VAT 15%`,
 * `Total (SAR)`. Words that are also names, such as tax, need numbers in the other cells.
 */
export function isTotalWord(text: string, hasNumbers: boolean): boolean {
  const withoutSuffix = text
    .replace(/(?<=\S)\s*[([（][^)\]）]*[)\]）]?[\s:]*$/u, '')
    .replaceAll(/\p{Nd}[\p{Nd}.,٫]*\s*[%٪]|[%٪]\s*\p{Nd}[\p{Nd}.,٫]*/gu, '');
  const [, label = '', currency = ''] = /^(.*\S)[\s:]+(\S+?)[\s:]*$/u.exec(withoutSuffix) ?? [];
  const term = normalizedTerm(currencyCode(currency) === undefined ? withoutSuffix : label);
  const [kind] = keysByTerm(rowWords).get(term.replace(/\p{Nd}+$/u, '')) ?? [];
  return kind === 'total' || (kind !== undefined && hasNumbers);
}

/**
 * Returns the field for a common column name; undefined if the resource has no such field. `otherNames` are column names that
 * files of the resource may have in addition to its fields. A currency after the name of an amount is ignored: `Price (SAR)`.
 */
export function findFieldBySynonym(
  resource: Resource,
  name: string,
  otherNames: readonly string[],
): string | undefined {
  const columns = columnsOf(resource).filter(({ role }) => role === 'value');
  const find = (text: string) => {
    const term = normalizedTerm(text);
    const exact = columns.find((column) => normalizedTerm(column.name) === term)?.name;
    const fields = exact === undefined ? keysByTerm(synonyms).get(term) : [exact];
    return fields?.find(
      (field) => otherNames.includes(field) || columns.some((column) => column.name === field),
    );
  };
  const found = find(name);
  // The percentage of a cost isn't a cost.
  const percent = columns.find((column) => column.name === found)?.field?.traits.unit === 'percent';
  if (found !== undefined) return name.includes('%') && !percent ? undefined : found;
  const { amount, currency } = splitColumnName(name);
  const field = currency === undefined ? undefined : find(amount);
  const column = columns.find((candidate) => candidate.name === field)?.field;
  return column === undefined || isMoney(column) ? field : undefined;
}

/** Splits the name of a column, such as `Price (SAR)` or `Cost €`, from the currency of its amounts. */
export function splitColumnName(name: string): { amount: string; currency?: string | undefined } {
  const [, amount = name, inner, word = ''] =
    /^(.+?)\s*(?:[([]\s*(.+?)\s*[)\]]|[\s/,-]([A-Z]{3}|\p{Sc}))\s*$/u.exec(name) ?? [];
  const currency = inner ?? word;
  return currencyCode(currency) === undefined ? { amount: name } : { amount, currency };
}

/** Returns all synonyms for the fields of a resource as normalized column names, to recognize a header. */
export function synonymsFor(resource: Resource, otherNames: readonly string[]): string[] {
  return Object.values(synonyms)
    .flatMap((terms) => terms.split(',').map(normalizeColumnName))
    .filter((term) => findFieldBySynonym(resource, term, otherNames) !== undefined);
}
