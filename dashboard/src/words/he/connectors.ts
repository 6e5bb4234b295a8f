import type { connectorsWords as EnglishWords } from '../en/connectors.ts'
import { isolated } from '../isolated.ts'

export const connectorsWords: typeof EnglishWords = {
  connectors: {
    title: 'מחברים',
    empty: 'מחבר מאפשר לחנות, לשירות ביקורות או לתוכנית נאמנות לדווח על מה שאנשים עושים שם.',
    help: 'כל אחד מדווח עם סוד משלו, ואינו יכול לעשות דבר אחר.',
    name: 'שם',
    nameHelp: 'הוא לא משתנה לעולם.',
    acts: 'פעולות',
    add: 'מחבר חדש',
    create: 'יצירת מחבר',
    usage: 'כך חנות מדווחת',
    address: 'הכתובת שמחבר קורא לה',
    call: 'קריאה',
    secretTitle: 'הסוד של המחבר',
    secretHelp: 'מוצג פעם אחת בלבד. החנות שולחת אותו בכותרת X-Connector-Secret.',
    done: 'שמרתי אותו',
    renew: 'סוד חדש',
    renewOf: (name) => `סוד חדש: ${isolated(name)}`,
    renewTitle: 'ליצור סוד חדש?',
    renewHelp: 'הסוד הקיים נדחה מיד.',
  },
}
