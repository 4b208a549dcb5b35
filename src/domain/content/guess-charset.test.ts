import { expect, it } from 'vitest'
import { encodeCharset } from '../../../testing/encode-charset.ts'
import { decoderFor } from './charset-label.ts'
import { guessCharset } from './guess-charset.ts'

const JAPANESE =
  '<title>日本語のページ</title><p>これはテストのための文章です。漢字とひらがなとカタカナがあります。</p>'
const KOREAN = '<title>한국어 페이지</title><p>이 문장은 시험을 위한 것입니다. 안녕하세요, 반갑습니다.</p>'
const SIMPLIFIED =
  '<title>中文网页</title><p>这是一个用来测试编码的句子。我们希望它能够被正确地识别出来。</p>'
const TRADITIONAL =
  '<title>中文網頁</title><p>這是一個用來測試編碼的句子。我們希望它能夠被正確地識別出來。</p>'
const RUSSIAN =
  '<title>Страница</title><p>Это предложение нужно для проверки того, как угадывается кодировка.</p>'
const UKRAINIAN =
  '<p>Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.</p>'
const CZECH =
  '<p>Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.</p>'
const POLISH =
  '<p>Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.</p>'
const HUNGARIAN =
  '<p>Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek. Kőműves, gyűrű, időjárás.</p>'
const ROMANIAN =
  '<p>Toate fiinţele umane se nasc libere şi egale în demnitate şi în drepturi. Ele sînt înzestrate cu raţiune şi conştiinţă şi trebuie să se comporte unele faţă de altele în spiritul fraternităţii.</p>'
const TURKISH =
  '<p>Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.</p>'
const GREEK =
  '<p>Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Άνθρωποι προικισμένοι με λογική.</p>'
const HEBREW = '<p>כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.</p>'
const ARABIC =
  '<p>يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.</p>'
const THAI =
  '<p>มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ</p>'
const LITHUANIAN =
  '<p>Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė ir jie turi elgtis vienas kito atžvilgiu kaip broliai.</p>'
const ICELANDIC =
  '<p>Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru gæddir vitsmunum og samvizku, og ber þeim að breyta bróðurlega hverjum við annan.</p>'

it.each([
  ['shift_jis', JAPANESE],
  ['euc-jp', JAPANESE],
  ['euc-kr', KOREAN],
  ['gbk', SIMPLIFIED],
  ['big5', TRADITIONAL],
  ['windows-1251', RUSSIAN],
  ['koi8-r', RUSSIAN],
  ['iso-8859-5', RUSSIAN],
  ['ibm866', RUSSIAN],
  ['windows-1251', UKRAINIAN],
  ['koi8-u', UKRAINIAN],
  ['windows-1250', CZECH],
  ['iso-8859-2', CZECH],
  ['windows-1250', POLISH],
  ['iso-8859-2', POLISH],
  ['windows-1250', HUNGARIAN],
  ['windows-1250', ROMANIAN],
  ['windows-1254', TURKISH],
  ['windows-1253', GREEK],
  ['iso-8859-7', GREEK],
  ['windows-1255', HEBREW],
  ['windows-1256', ARABIC],
  ['iso-8859-6', ARABIC],
  ['windows-874', THAI],
  ['windows-1257', LITHUANIAN],
  ['windows-1252', ICELANDIC],
  ['windows-1252', '<p>Le café où l’on mange des œufs à la crème brûlée est fermé cet été.</p>'],
  ['windows-1252', '<p>Größere Übungen für schöne Füße: „äöüß“.</p>'],
  [
    'windows-1252',
    '<p>Alle mennesker er født frie og med samme menneskeverd. På øya spiser vi ærlig brød.</p>',
  ],
  ['windows-1252', '<p>“Don’t”\u00a0— it’s 20\u00a0€ · ©\u00a02026 Café Noël…</p>'],
  ['windows-1252', '<p>20\u00a0km at\u00a05° (see\u00a0§2) in\u00a02026 for\u00a05£</p>'],
])('recognises %s in %s', (charset, text) => {
  const encoded = encodeCharset(text, charset)
  expect(decoderFor(charset).decode(encoded)).toBe(text)
  expect(guessCharset(encoded)).toBe(charset)
})

it('ignores a long start in ASCII', () => {
  const page = Buffer.concat([
    Buffer.alloc(100_000, '<script>var a = 1</script>'),
    encodeCharset(GREEK, 'windows-1253'),
  ])
  expect(guessCharset(page)).toBe('windows-1253')
})

it('takes UTF-8 with a few broken bytes for UTF-8', () => {
  const page = Buffer.concat([Buffer.from(GREEK), Buffer.of(0xe2, 0x3c), Buffer.from(THAI)])
  expect(guessCharset(page)).toBe('utf-8')
})

it.each(['utf-16le', 'utf-16be'])('knows %s without a byte order mark', (charset) => {
  const bytes = Buffer.from('<html><p>Grüße, мир</p></html>', 'utf16le')
  expect(guessCharset(charset === 'utf-16le' ? bytes : bytes.swap16())).toBe(charset)
})

it('knows ISO-2022-JP by its escapes', () => {
  expect(guessCharset(Buffer.from('\x1b$B$3$s$K$A$O\x1b(B', 'latin1'))).toBe('iso-2022-jp')
  expect(guessCharset(Buffer.from('\x1b[31mred\x1b[0m'))).toBe('utf-8')
})

it('takes UTF-8 for UTF-8 even when its last character is cut', () => {
  const whole = Buffer.from('naïve 😀')
  for (let cut = 0; cut < 4; cut++) expect(guessCharset(whole.subarray(0, whole.length - cut))).toBe('utf-8')
})

it('does not take a few zeros in ASCII for UTF-16', () => {
  expect(guessCharset(Buffer.from('a\0bc\0\0def ghi jkl'))).toBe('utf-8')
})

it('falls to windows-1252 for noise', () => {
  expect(guessCharset(Uint8Array.of(0xff, 0x20, 0x81, 0x20))).toBe('windows-1252')
})
