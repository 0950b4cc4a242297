/** The character references of HTML that pages of text use; others stay as they are written. */

const named = new Map(
  ("amp & lt < gt > quot \" apos ' nbsp \u00a0 copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” " +
    "sbquo ‚ bdquo „ laquo « raquo » bull • middot · times × divide ÷ minus − plusmn ± deg ° euro € pound £ yen ¥ cent ¢ sect § " +
    "para ¶ larr ← rarr → uarr ↑ darr ↓ harr ↔ le ≤ ge ≥ ne ≠ infin ∞ auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß " +
    "eacute é egrave è ecirc ê aacute á agrave à acirc â ccedil ç ntilde ñ oacute ó iacute í uacute ú oslash ø aring å aelig æ " +
    "frac12 ½ frac14 ¼ sup2 ² sup3 ³ micro µ check ✓ star ☆ lbrace { rbrace } lbrack [ rbrack ] lpar ( rpar ) grave ` " +
    "num # colon : semi ; comma , period . excl ! quest ? equals = plus + ast * sol / bsol \\ lowbar _ vert | hyphen ‐ dollar $ percnt % commat @")
    .split(" ").reduce<Array<[string, string]>>((pairs, word, at, words) => {
      if (at % 2 === 0) pairs.push([word, words[at + 1] ?? ""])
      return pairs
    }, [])
).set("ensp", " ").set("emsp", " ").set("thinsp", " ").set("shy", "").set("zwnj", "").set("zwj", "").set(
  "NewLine",
  "\n"
).set("Tab", "\t")

const codePoint = (code: number): string =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\uFFFD"

export const decode = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([A-Za-z][A-Za-z0-9]{1,10}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return codePoint(Number.parseInt(hex, 16))
      if (decimal !== undefined) return codePoint(Number(decimal))
      return named.get(name ?? "") ?? whole
    }
  )
