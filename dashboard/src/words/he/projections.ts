import type { projectionsWords as EnglishWords } from '../en/projections.ts'
import { isolated } from '../isolated.ts'

export const projectionsWords: typeof EnglishWords = {
  projections: {
    title: 'היטלים',
    help: 'מה שמבקשים כאן נעשה ברקע: הוא נמשך גם אם יוצאים.',
    beside: 'לצד',
    built: (version) => `גרסה ${version} נבנתה`,
    kept: (version) => `אפשר להחזיר את גרסה ${version} עד`,
    job: 'הבקשה האחרונה',
    ask: 'פעולות',
    acts: { rebuild: 'בנייה מחדש', rebuild_beside: 'בנייה לצד', compare: 'השוואה', swap: 'החלפה', swap_back: 'החזרה' },
    actHelp: {
      rebuild: 'ההיטל נבנה מחדש מהיומן, ומשרת כשהוא שלם. עד אז משרתות הטבלאות הנוכחיות.',
      rebuild_beside: 'ההיטל נבנה לצד הטבלאות שמשרתות.',
      compare: 'שתי הגרסאות מושוות שורה אחר שורה.',
      swap: 'הטבלאות שלצד מתעדכנות ומשרתות מאותו רגע. במשך יום אפשר להחזיר את הקודמות.',
      swap_back: 'הטבלאות שההחלפה הוציאה מתעדכנות ומשרתות שוב.',
    },
    progressOf: (name) => `ההתקדמות של ${isolated(name)}`,
    reached: (done, total) => `${isolated(done)} מתוך ${isolated(total)}`,
    waiting: 'ממתין לתהליך בתפקיד consumers.',
    interrupted: 'התהליך שעשה זאת הסתיים. הטבלאות שמשרתות שלמות: אפשר לבקש שוב.',
    failed: 'הפעולה נכשלה. הטבלאות שמשרתות שלמות, והסיבה ביומן של התהליך.',
    inBoth: (equal, different) => `${isolated(equal)} זהות, ${isolated(different)} שונות`,
    inOne: (here, beside) => `${isolated(here)} רק כאן, ${isolated(beside)} רק לצד`,
  },
}
