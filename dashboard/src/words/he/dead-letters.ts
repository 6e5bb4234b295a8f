import type { deadLettersWords as EnglishWords } from '../en/dead-letters.ts'
import { isolated } from '../isolated.ts'
import { plural } from './plural.ts'

export const deadLettersWords: typeof EnglishWords = {
  deadLetters: {
    title: 'עבודות שנכשלו',
    empty: 'שום דבר לא נכשל שוב ושוב עד שהוצא הצידה.',
    groups: 'לפי מי שהיה אמור לטפל',
    each: 'אחת אחת',
    workspace: 'סביבת עבודה',
    noWorkspace: 'לא של סביבת עבודה',
    oldest: 'הוותיקה ביותר',
    moreGroups: 'יש עוד קבוצות: הן יוצגו כשיהיו פחות.',
    showAll: 'הצגת הכול',
    help: 'אירוע או עבודה שנכשלו שוב ושוב מוצאים הצידה לכאן, כדי שהשאר ימשיכו. נסו שוב אחרי שהסיבה תוקנה.',
    consumer: 'מי היה אמור לטפל',
    all: 'הכול',
    ofConsumer: (name, count) => `${isolated(name)}: ${plural(count, 'עבודה אחת', 'עבודות')}`,
    chosen: (count) => plural(count, 'נבחרה עבודה אחת', 'עבודות נבחרו'),
    choose: (id) => `בחירת ${isolated(id)}`,
    what: 'מה זה',
    sources: { event: 'אירוע', job: 'עבודה', record: 'רשומות של Kafka' },
    error: 'השגיאה האחרונה',
    tries: 'ניסיונות',
    since: 'הוצא הצידה',
    state: 'מצב',
    retry: 'ניסיון חוזר',
    retryTitle: (count) => `לנסות שוב ${plural(count, 'עבודה אחת', 'עבודות')}?`,
    retryHelp: 'עבודה חוזרת מיד לתור, ואירוע מטופל בתוך שניות. שום הודעה לא נשלחת פעמיים בגלל זה.',
    discard: 'ויתור',
    discardTitle: (count) => `לוותר על ${plural(count, 'עבודה אחת', 'עבודות')}?`,
    discardHelp: 'לא יהיה ניסיון נוסף. הודעה שאחת מהן הייתה אמורה לשלוח נחשבת שנכשלה.',
    reason: 'סיבה',
    done: (count) => `בוצע עבור ${plural(count, 'עבודה אחת', 'עבודות')}.`,
    failed: (count) => `לא בוצע עבור ${plural(count, 'עבודה אחת', 'עבודות')}:`,
    untried: (count) => `נעצר: ${plural(count, 'עבודה אחת לא טופלה', 'עבודות לא טופלו')}.`,
  },
}
