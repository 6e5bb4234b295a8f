import type { systemWords as EnglishWords } from '../en/system.ts'
import { plural } from './plural.ts'

export const systemWords: typeof EnglishWords = {
  system: {
    title: 'מערכת',
    ready: 'התהליך שענה מוכן.',
    notReady: 'התהליך שענה אינו מוכן',
    head: 'המיקום האחרון ביומן',
    findings: 'בדיקות',
    findingsHelp: 'נשאלים האחסון, הספקים וה־DNS, כמו בפקודה `tidings doctor`. זה עשוי להימשך דקה.',
    check: 'בדיקה עכשיו',
    checked: 'מה נבדק',
    found: 'מה נמצא',
    mend: 'מה לעשות',
    processes: 'תהליכי שרת',
    noProcess: 'שום תהליך לא נשמע בחמש השניות האחרונות.',
    roles: 'תפקידים',
    started: 'הופעל',
    heard: 'נשמע לאחרונה',
    projections: 'היטלים',
    noProjection: 'שום היטל לא פעל עדיין.',
    consumers: 'צרכנים',
    noConsumer: 'שום צרכן לא פעל עדיין.',
    name: 'שם',
    version: 'גרסה',
    state: 'מצב',
    behind: 'אירועים בפיגור',
    parked: 'זרמים שדולגו',
    failure: 'למה הוא עומד',
    queues: 'עבודות שממתינות',
    nothingWaits: 'שום עבודה לא ממתינה.',
    kind: 'סוג',
    waiting: 'ממתינות',
    retrying: 'נכשלו קודם',
    oldest: 'גיל הוותיקה ביותר',
    noDeadLetter: 'שום דבר לא נכשל סופית.',
    open: 'להחלטה',
    webhooks: 'משלוחי webhook שממתינים',
    deliveries: 'משלוחים',
    endpoints: 'למספר כתובות',
    longest: 'הכי הרבה לכתובת אחת',
    proof: 'הוכחת היומן',
    proven: 'אירועים בעץ',
    signed: 'הראש החתום האחרון הוא מ',
    anchored: 'נשמר בחוץ לאחרונה',
    fingerprint: 'טביעת האצבע של מפתח החתימה',
    auditHelp:
      'מה עשו מפעילים בלוח הבקרה ב־90 הימים האחרונים, ומה השתנה אצל המפעילים. פירוט השינוי בסביבת עבודה נמצא ביומן שלה, עם אותו מזהה בקשה.',
    unknown: 'לא ידוע',
    age: (seconds) =>
      seconds < 120
        ? plural(Math.round(seconds), 'שנייה', 'שניות')
        : seconds < 7_200
          ? plural(Math.round(seconds / 60), 'דקה', 'דקות')
          : plural(Math.round(seconds / 3_600), 'שעה', 'שעות'),
  },
}
