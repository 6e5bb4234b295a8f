import type { flowTryWords as EnglishWords } from '../en/flow-try.ts'
import { plural } from './plural.ts'

export const flowTryWords: typeof EnglishWords = {
  flowTry: {
    title: 'ניסוי השלבים',
    help: 'עוברים על השלבים כפי שהם כאן, עבור אדם אחד. דבר לא נשמר ולא נשלח. שעות השקט ומגבלת ההודעות אינן נבדקות.',
    person: 'עבור מי',
    example: 'עבור דוגמה',
    agrees: 'מסכים להודעות דרך',
    run: 'ניסוי',
    way: 'מה היה קורה',
    onWay: 'בדרך',
    waits: (time: string) => `המתנה של ${time}.`,
    matched: 'הכלל מתקיים.',
    otherwise: 'הכלל אינו מתקיים.',
    sends: { email: 'נשלח האימייל', sms: 'נשלחת הודעת הטקסט', push: 'מוצגת ההתראה' },
    to: 'אל',
    from: 'מאת',
    browsers: (count: number) => `ב־${plural(count, 'דפדפן אחד', 'דפדפנים')}`,
    credits: (count: number) => `(${plural(count, 'קרדיט אחד', 'קרדיטים')})`,
    noAddress: {
      email: 'דבר לא נשלח: לאדם אין כתובת אימייל.',
      sms: 'דבר לא נשלח: לאדם אין מספר טלפון.',
      push: 'דבר לא נשלח: לאדם אין דפדפן רשום.',
    },
    archived: 'דבר לא נשלח: התבנית בארכיון.',
    notAllowed: 'דבר לא נשלח.',
    notRendered: 'דבר לא נשלח: לא ניתן למלא את התבנית עבור האדם הזה.',
    ends: {
      finished: 'האדם היה מגיע לסוף התהליך.',
      no_consent: 'התהליך היה מסתיים שם: האדם לא נתן הסכמה.',
      suppressed: 'התהליך היה מסתיים שם: הערוץ חסום.',
      template_gone: 'התהליך היה מסתיים שם: התבנית בארכיון.',
    },
  },
}
