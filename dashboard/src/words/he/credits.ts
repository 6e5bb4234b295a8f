import type { creditsWords as EnglishWords } from '../en/credits.ts'
import { isolated } from '../isolated.ts'
import { plural } from './plural.ts'

export const creditsWords: typeof EnglishWords = {
  credits: {
    title: 'קרדיטים ל-SMS',
    available: 'זמינים',
    held: 'שמורים להודעות בדרך',
    balance: 'יתרה',
    use: 'שימוש',
    byDay: 'קרדיטים שנוצלו לפי יום',
    used: 'נוצלו',
    daysLeft: (days) => `בקצב הזה, מה שזמין יספיק ל${plural(days, 'יום אחד', 'ימים')}.`,
    countedSince: 'יש יותר מדי רישומים ולא כולם נספרו. נספר החל מ:',
    file: 'דף החשבון של התקופה כקובץ CSV',
    statement: 'דף חשבון',
    empty: 'הודעות SMS משולמות בקרדיטים. מפעיל השירות מוסיף אותם.',
    at: 'מתי',
    entry: 'רישום',
    entries: { topup: '+ נוספו', hold: '◌ נשמרו', settle: '− נוצלו', release: '↺ הוחזרו' },
    amount: 'קרדיטים',
    why: 'עבור',
    message: 'הודעה',
    add: 'הוספת קרדיטים',
    addVerb: 'הוספה',
    note: 'הערה',
    noteHelp: 'היא מופיעה בדף החשבון, שכל מי שבסביבת העבודה רואה.',
    check: 'בדיקה',
    checkHelp: 'היתרה מחושבת מחדש מהרישום הראשון, בנפרד מהקוד שכתב אותה.',
    checkNow: 'בדיקה עכשיו',
    right: (events, balance) => `${isolated(events)} אירועים תקינים: היתרה היא ${isolated(balance)}.`,
  },
}
