/** The colors that all browser pages share, light and dark, as CSS custom properties. */

/** CSS declarations of the colors. */
export const palette = `\
  --paper: light-dark(#f3f1ec, #16181a);
  --card: light-dark(#ffffff, #202326);
  --ink: light-dark(#1d1f21, #eceae5);
  --faint: light-dark(#5b5f63, #a9adb1);
  --line: light-dark(#dcd8cf, #3a3f44);
  --accent: light-dark(#0b6b4f, #5fd0a8);`;
