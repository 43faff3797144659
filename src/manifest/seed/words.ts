/** What generated records are called. */

export const given =
  'Ahmad Amira Basel Dalia Faisal Farah Ghassan Hadi Hiba Ihab Jamal Jana Karim Lama Layan Maha Majed Nabil Noor Nour Rami Rasha Reem Saad Salma Samar Talal Wafa Walid Yazan Zeina Ziad'.split(
    ' ',
  );
export const families =
  'Barakat Dabbas Fares Haddad Hamdan Issa Jaber Khoury Mansour Najjar Qasim Rahman Saleh Shaheen Tamimi Zayed'.split(
    ' ',
  );
export const kinds =
  'Fresh Golden Green Northern Old Prime Quick Royal Silver Southern Spring Summer Sunny Western Wild Winter'.split(
    ' ',
  );
export const things =
  'Almond Basil Cedar Coral Date Fig Garden Harbour Lemon Mint Oasis Olive Orange Palm River Saffron'.split(
    ' ',
  );
