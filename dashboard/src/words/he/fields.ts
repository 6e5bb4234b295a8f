import type { fieldsWords as EnglishWords } from '../en/fields.ts'
import { isolated } from '../isolated.ts'

export const fieldsWords: typeof EnglishWords = {
  fields: {
    title: 'שדות מותאמים',
    empty: 'שדה מותאם מתאר תכונה שיש לפרופילים שלכם מעבר לשדות המובנים, למשל מידת נעליים.',
    add: 'שדה חדש',
    create: 'יצירת שדה',
    key: 'מפתח',
    keyHelp: 'שם התכונה בפרופיל ובקריאות ה־API. הוא לא משתנה לעולם.',
    label: 'תווית',
    labelHelp: 'מה שאנשים קוראים.',
    kind: 'מכיל',
    kindHelp: 'ערכים שכבר קיימים בפרופילים נשארים כפי שהם.',
    kinds: {
      text: 'טקסט',
      number: 'מספר',
      date: 'תאריך',
      boolean: 'כן או לא',
      select: 'אחד מכמה ערכים',
      multiSelect: 'כמה מתוך רשימת ערכים',
      url: 'כתובת אינטרנט',
      list: 'רשימת טקסטים',
    },
    options: 'ערכים',
    value: (number) => `ערך ${number}`,
    labelOf: (number) => `תווית של ערך ${number}`,
    removeValue: (number) => `הסרה: ערך ${number}`,
    remove: 'הסרה',
    addValue: 'הוספת ערך',
    changed: 'שונה',
    changeTitle: 'שינוי השדה',
    changeOf: (label) => `שינוי: ${isolated(label)}`,
  },
}
