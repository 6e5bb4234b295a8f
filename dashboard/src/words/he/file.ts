import type { fileWords as EnglishWords } from '../en/file.ts'

export const fileWords: typeof EnglishWords = {
  file: {
    title: 'קובץ סביבת העבודה',
    present: 'סביבת העבודה הזאת כקובץ',
    presentText: 'הקובץ הנוכחי',
    presentHelp: 'כפי ש־`tidings apply` קורא אותו. אין בו סודות: לא משתמשים, לא מפתחות API ולא מחברים.',
    download: 'הורדה',
    given: 'החלת קובץ',
    givenHelp: 'מה שכתוב בקובץ ייעשה כך. מה שאינו כתוב בו נשאר כפי שהוא, ושום דבר לא נמחק. קודם רואים מה ישתנה.',
    text: 'הקובץ',
    textHelp: 'YAML או JSON, לכל היותר 1,000,000 תווים.',
    choose: 'בחירת קובץ',
    ask: 'מה ישתנה',
    mistakes: {
      tooLarge: 'הקובץ גדול מדי: אפשר להחיל אותו בחלקים.',
      notText: 'הקובץ אינו טקסט ב־UTF-8.',
      notRead: 'אי אפשר היה לקרוא את הקובץ.',
    },
    changed: 'מישהו שינה את סביבת העבודה בינתיים. זה מה שהקובץ ישנה עכשיו.',
    nothing: 'סביבת העבודה היא כפי שכתוב בקובץ: הוא לא ישנה דבר.',
    difference: 'מה הקובץ ישנה',
    changes: (count) => (count === 1 ? 'ייעשה שינוי אחד' : `ייעשו ${count} שינויים`),
    apply: 'החלת הקובץ',
    progressLabel: 'הוחל',
    progress: (done, of) => `${done} מתוך ${of} נעשו.`,
    applied: 'הקובץ הוחל.',
  },
}
