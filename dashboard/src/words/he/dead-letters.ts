import type { deadLettersWords as EnglishWords } from '../en/dead-letters.ts'
import { isolated } from '../isolated.ts'
import { plural } from './plural.ts'

export const deadLettersWords: typeof EnglishWords = {
  deadLetters: {
    title: 'עבודות שנכשלו',
    empty: 'שום דבר לא נכשל שוב ושוב עד שהוצא הצידה.',
    help: 'אירוע או עבודה שנכשלו שוב ושוב מוצאים הצידה לכאן, כדי שהשאר ימשיכו. נסו שוב אחרי שהסיבה תוקנה.',
    consumer: 'מי היה אמור לטפל',
    all: 'הכול',
    ofConsumer: (name, count) => `${isolated(name)}: ${plural(count, 'עבודה אחת', 'עבודות')}`,
    chosen: (count) => plural(count, 'נבחרה עבודה אחת', 'עבודות נבחרו'),
    choose: (id) => `בחירת ${isolated(id)}`,
    what: 'מה זה',
    sources: { event: 'אירוע', job: 'עבודה' },
    error: 'השגיאה האחרונה',
    tries: 'ניסיונות',
    since: 'הוצא הצידה',
    state: 'מצב',
    retry: 'ניסיון חוזר',
    discard: 'ויתור',
    discardTitle: (count) => `לוותר על ${plural(count, 'עבודה אחת', 'עבודות')}?`,
    discardHelp: 'לא יהיה ניסיון נוסף. הודעה שאחת מהן הייתה אמורה לשלוח נחשבת שנכשלה.',
    reason: 'סיבה',
    done: (count) => `בוצע עבור ${plural(count, 'עבודה אחת', 'עבודות')}.`,
    failed: (count) => `לא בוצע עבור ${plural(count, 'עבודה אחת', 'עבודות')}:`,
    untried: (count) => `נעצר: ${plural(count, 'עבודה אחת לא טופלה', 'עבודות לא טופלו')}.`,
  },
}
