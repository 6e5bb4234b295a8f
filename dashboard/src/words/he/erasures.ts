import type { erasuresWords as EnglishWords } from '../en/erasures.ts'

export const erasuresWords: typeof EnglishWords = {
  erasures: {
    title: 'מחיקות',
    empty: 'איש לא נמחק. פרופיל נמחק בדף שלו.',
    receipt: 'אישור מחיקה',
    person: 'פרופיל',
    began: 'התחלה',
    asked: 'נתבקשה',
    askedBy: 'על ידי',
    finished: 'הסתיימה',
    position: 'מקום ביומן',
    keyDestroyed: 'המפתח הושמד',
    isRunning: 'המחיקה נעשית, ונמשכת גם אם תעזבו את הדף או אם השירות נעצר ומתחיל שוב. היא אורכת כדקה.',
    isFinished: 'הכול נעשה: אין עוד דבר על האדם הזה בטבלאות או בתשובות.',
    waitsFor: 'היא מחכה עד שמודלי הקריאה האלה ייבנו מחדש:',
    download: 'הורדת האישור',
    went: 'מה נמחק',
    place: 'מקום',
    rows: 'שורות',
    stays: 'מה נשאר',
    consents: 'הצהרות על הסכמה',
  },
}
