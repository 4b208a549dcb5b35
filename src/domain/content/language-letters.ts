/** The letters outside ASCII of one language, each with its share of them per thousand: `é725 è75 …`. */
export interface LanguageLetters {
  readonly language: string
  readonly letters: string
  /** The legacy charsets of pages in this language, the most common first. */
  readonly charsets: readonly string[]
}

/**
 * Counted in the translations of programs in a Debian installation. Letters under one per thousand are left out.
 */
export const LANGUAGES: readonly LanguageLetters[] = [
  {
    language: 'French',
    charsets: ['windows-1252'],
    letters: 'é725 è75 à72 ê57 ô20 î15 ç6 á6 â5 ï3 í3 ù2 š1 ó1 û1 ë1',
  },
  {
    language: 'German',
    charsets: ['windows-1252'],
    letters: 'ü530 ä227 ö165 ß61 é18',
  },
  {
    language: 'Spanish',
    charsets: ['windows-1252'],
    letters: 'ó455 á231 í136 ú83 é47 ñ46 º1',
  },
  {
    language: 'Portuguese',
    charsets: ['windows-1252'],
    letters: 'ã299 ç199 á134 í111 é73 ó49 ú43 õ40 ê31 â9 à5 ô4 º3',
  },
  {
    language: 'Italian',
    charsets: ['windows-1252'],
    letters: 'è534 à213 ò90 é77 ù76 ì10',
  },
  {
    language: 'Swedish',
    charsets: ['windows-1252'],
    letters: 'ä464 ö310 å219 é7',
  },
  {
    language: 'Danish',
    charsets: ['windows-1252'],
    letters: 'ø372 å324 æ273 é32',
  },
  {
    language: 'Finnish',
    charsets: ['windows-1252'],
    letters: 'ä900 ö99',
  },
  {
    language: 'Dutch',
    charsets: ['windows-1252'],
    letters: 'ë313 é296 ï159 á101 ó61 ö31 ü20 è18',
  },
  {
    language: 'Catalan',
    charsets: ['windows-1252'],
    letters: 'ó252 à196 é162 í104 è80 ò57 ç56 ú55 ï22 ü14',
  },
  {
    language: 'Icelandic',
    charsets: ['windows-1252'],
    letters: 'ð250 í209 á170 ó91 ú69 ý57 æ51 ö42 þ38 é17 ñ1',
  },
  {
    language: 'Czech',
    charsets: ['windows-1250', 'iso-8859-2'],
    letters: 'í254 á192 ř101 č79 é78 ý72 ž68 ě61 š47 ů28 ú8 ó5 ň4 ť2',
  },
  {
    language: 'Slovak',
    charsets: ['windows-1250', 'iso-8859-2'],
    letters: 'á196 č120 í107 ý95 é89 ť88 ú87 ž77 š49 ľ49 ó10 ň10 ô8 ä7 ĺ4 ď3',
  },
  {
    language: 'Polish',
    charsets: ['windows-1250', 'iso-8859-2'],
    letters: 'ł197 ż145 ę129 ą125 ś124 ó111 ć100 ń43 ź14 é3 á2 í1 š1',
  },
  {
    language: 'Hungarian',
    charsets: ['windows-1250', 'iso-8859-2'],
    letters: 'á330 é256 í99 ó95 ö73 ő63 ü41 ú24 ű16',
  },
  {
    language: 'Romanian',
    charsets: ['windows-1250', 'iso-8859-2'],
    letters: 'ă509 ţ183 ş166 î104 â36',
  },
  {
    language: 'Croatian',
    charsets: ['windows-1250', 'iso-8859-2'],
    letters: 'č346 š237 ž167 ć162 đ82',
  },
  {
    language: 'Slovenian',
    charsets: ['windows-1250', 'iso-8859-2'],
    letters: 'č540 š310 ž148',
  },
  {
    language: 'Russian',
    charsets: ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866'],
    letters:
      'о93 е92 а85 и76 н73 т62 р53 с51 л44 в41 к35 п34 д31 м29 у23 я21 з20 ь20 ы19 й16 б15 ч11 г10 ж9 ф7 ц6 х6 ю6 ш5 щ4 э2 ё1',
  },
  {
    language: 'Bulgarian',
    charsets: ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866'],
    letters:
      'а132 е101 н86 и81 о78 т68 р55 с44 в42 д37 к34 п34 л32 з32 м24 ъ17 я15 б14 у12 ч10 г9 ж8 й8 ф7 ц6 ш5 щ4 х4 ю2',
  },
  {
    language: 'Ukrainian',
    charsets: ['windows-1251', 'koi8-u', 'iso-8859-5'],
    letters:
      'а97 н84 о83 и59 е57 т52 в51 р51 і51 к43 с40 л36 д34 п33 у33 м33 я23 з23 б15 ь14 й13 г13 ч11 ж7 ц7 х7 є6 ф6 ш5 ю5 ї3 щ2',
  },
  {
    language: 'Belarusian',
    charsets: ['windows-1251', 'koi8-u', 'iso-8859-5'],
    letters:
      'а170 н77 р54 к49 і45 ы43 с42 л41 е39 т35 д34 я32 в32 п30 м30 о29 у29 ц24 з23 э20 ь19 г17 б17 ў15 ч13 й10 ш8 х7 ф6 ж6 ю4 ё2',
  },
  {
    language: 'Serbian',
    charsets: ['windows-1251', 'iso-8859-5'],
    letters:
      'а133 е98 и85 о81 н62 р59 т48 с46 к43 у39 п38 д36 в35 м31 ј25 з25 л24 б15 г14 ш10 ч10 њ10 ц8 љ7 ж5 ћ4 х3 ф3 ђ2',
  },
  {
    language: 'Greek',
    charsets: ['windows-1253', 'iso-8859-7'],
    letters:
      'α97 ο80 ε72 τ71 ι61 ν60 σ48 ρ48 μ43 η41 π37 κ36 υ30 ς28 λ28 ί26 γ24 δ23 ή20 έ20 ά19 ό18 χ14 ω12 θ11 φ9 ύ9 β5 ώ5 ξ3 ζ3 ψ1',
  },
  {
    language: 'Turkish',
    charsets: ['windows-1254'],
    letters: 'ı432 ç136 ş134 ü122 ğ88 ö59 İ22 á2 é2 í1',
  },
  {
    language: 'Hebrew',
    charsets: ['windows-1255'],
    letters:
      'י121 ו104 ה74 ת73 ל62 מ62 ר57 א50 נ45 ב41 ש38 ק34 פ29 ד28 ס27 ג22 ט20 ע19 ח18 ם16 ן15 כ15 צ13 ז8 ך4 ץ4 ף2',
  },
  {
    language: 'Arabic',
    charsets: ['windows-1256', 'iso-8859-6'],
    letters:
      'ا149 ل119 ي75 م68 ر52 ت48 و47 ة44 ن43 د31 ف30 ب28 ع28 س28 ح20 ق18 ك18 ج16 ص15 أ15 ط14 ه13 خ12 ش10 إ9 ذ9 غ8 ز7 ض7 ى5 ث4 ئ3 ء3 ظ2 ؤ1',
  },
  {
    language: 'Persian',
    charsets: ['windows-1256'],
    letters:
      'ا140 ي120 ن83 ر78 د61 ه58 و56 ت50 م47 ب36 س30 ک28 ش27 ل25 پ17 ز17 ف16 گ16 ج13 خ13 ع12 ق10 ص9 ح8 چ5 ط5 آ4 غ3 ذ2 ظ2 ض2 ئ2',
  },
  {
    language: 'Lithuanian',
    charsets: ['windows-1257'],
    letters: 'š217 ė199 ų197 ž95 į91 ą79 č59 ū42 ę21',
  },
  {
    language: 'Latvian',
    charsets: ['windows-1257'],
    letters: 'ā334 ē214 ī172 š116 ļ44 ū40 ņ38 ž16 ķ15 ģ7 č5',
  },
  {
    language: 'Estonian',
    charsets: ['windows-1257'],
    letters: 'ä376 õ288 ü233 ö53 š28 ž14 ā4',
  },
  {
    language: 'Thai',
    charsets: ['windows-874'],
    letters:
      'า68 ร55 อ53 ก45 น44 ม44 เ43 ่41 ้31 ง30 ด29 ล29 ั29 ี28 ต26 ิ25 ย23 บ23 ส23 ว21 แ19 ไ18 ์17 ค16 ท15 ข14 ห14 ป14 พ14 จ14 ู12 ะ12 ื12 ช11 โ10 ซ9 ำ8 ุ8 ใ8 ฟ7 ถ7 ณ5 ็5 ผ3 ภ3 ธ3 ษ3 ฐ2 ึ2 ฮ2 ญ2 ศ1',
  },
]
