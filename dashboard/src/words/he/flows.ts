import type { flowsWords as EnglishWords } from '../en/flows.ts'
import { plural } from './plural.ts'

export const flowsWords: typeof EnglishWords = {
  flows: {
    title: 'תהליכים',
    one: 'תהליך',
    empty: 'תהליך שולח הודעות לכל אדם מעצמו אחרי שמשהו קרה. קובץ סביבת העבודה מגדיר אותו.',
    trigger: 'מתחיל עם',
    triggers: { contact_created: 'פרופיל חדש', list_joined: 'הצטרפות לרשימה', custom_event: 'האירוע' },
    version: 'גרסה',
    insideNow: 'בפנים עכשיו',
    finished: 'הסתיימו',
  },
  flow: {
    steps: 'שלבים',
    wait: (time: string) => `המתנה של ${time}`,
    send: (channel: string) => `שליחה ב־${channel}:`,
    branch: 'פיצול לפי כלל:',
    matched: 'כשהכלל מתקיים',
    otherwise: 'אחרת',
    goesOn: 'ממשיך אחרי הפיצול',
    goneTemplate: 'תבנית שאיננה עוד',
    counts: {
      inside: (count: string) => `${count} בפנים`,
      passed: (count: string) => `${count} עברו`,
      left: (count: string) => `${count} יצאו`,
    },
    wasHere: 'היה כאן',
    older: (version: number, inside: string) => `גרסה ${version}: ${inside} עדיין בפנים; הם מסיימים את השלבים שהיו בה.`,
    ends: 'איך הסתיים',
    noEnds: 'איש עוד לא הגיע לסוף.',
    runs: 'מעברים',
    messages: 'הודעות',
    seeMessages: 'להודעות של התהליך',
    changed: 'שינוי אחרון',
    way: 'הדרך של אדם אחד',
    person: 'אדם',
    noOne: 'אף אחד',
    neverInside: 'האדם הזה מעולם לא היה בפנים.',
    earlierRuns: 'יש מעברים קודמים, שאינם מוצגים.',
    runOf: (version: number) => `מעבר בגרסה ${version}`,
    stepNumber: (number: number) => `שלב ${number}:`,
    moves: { pause: 'השהיה', resume: 'המשך', retire: 'הוצאה משימוש', restore: 'החזרה לשימוש' },
    moveTitles: {
      pause: 'להשהות את התהליך?',
      resume: 'להמשיך את התהליך?',
      retire: 'להוציא את התהליך משימוש?',
      restore: 'להחזיר את התהליך לשימוש?',
    },
    moveHelp: {
      pause: (inside: number) =>
        `איש לא נכנס. ${plural(inside, 'מעבר אחד', 'מעברים')} בפנים: דבר נוסף לא נשלח, מלבד מה שכבר בדרך. מה שמגיע מועדו ממתין עד להמשך; אחרי 24 שעות הוא מסתיים בלי שנשלח.`,
      resume: (inside: number) =>
        `אנשים נכנסים שוב. ${plural(inside, 'מעבר אחד', 'מעברים')} בפנים: מה שהגיע מועדו ב־24 השעות האחרונות נשלח עכשיו, וישן יותר מסתיים בלי שנשלח.`,
      retire: (inside: number) =>
        `איש לא נכנס עוד. ${plural(inside, 'מעבר אחד', 'מעברים')} בפנים: הם ממשיכים עד הסוף, ומה שהגיע מועדו עדיין נשלח. כדי לעצור גם אותם, יש להשהות.`,
      restore: (inside: number) => `אנשים נכנסים שוב מעכשיו. ${plural(inside, 'מעבר אחד', 'מעברים')} בפנים: דבר לא משתנה עבורם.`,
    },
  },
}
