import type { tagsWords as EnglishWords } from '../en/tags.ts'
import { isolated } from '../isolated.ts'

export const tagsWords: typeof EnglishWords = {
  tags: {
    title: 'תגיות',
    empty: 'תגית היא מילה שלפיה מוצאים שוב את הקמפיינים.',
    add: 'תגית חדשה',
    create: 'יצירת תגית',
    name: 'שם',
    nameHelp: 'עד 60 תווים. השם לא משתנה לעולם.',
    color: 'צבע',
    colors: {
      neutral: 'ניטרלי',
      primary: 'ראשי',
      accent: 'מודגש',
      warn: 'אזהרה',
      danger: 'סכנה',
      info: 'מידע',
      violet: 'סגול',
    },
    noColor: 'ללא',
    changeTitle: 'שינוי הצבע',
    changeOf: (name) => `שינוי: ${isolated(name)}`,
  },
}
