import { pagesIn } from '../mail-links/pages.ts'

const english = {
  ask: { title: 'Subscribe?', text: 'You will get newsletters and offers from this sender by email.', button: 'Yes, subscribe me' },
  done: { title: 'You are subscribed', text: 'Thank you. You can unsubscribe at any time.' },
  expired: { title: 'This link is too old', text: 'Please sign up once more, and use the link of the new email.' },
  unknown: { title: 'This link is not known', text: 'Please use the link of a newer email, or sign up once more.' },
  later: { title: 'Please try again', text: 'We could not note it down just now. Please go back and try again in a moment.' },
}

const hebrew = {
  ask: { title: 'להצטרף לרשימה?', text: 'תקבלו מהשולח הזה עדכונים והצעות בדואר אלקטרוני.', button: 'כן, אני רוצה להצטרף' },
  done: { title: 'הצטרפתם לרשימה', text: 'תודה. אפשר להסיר את הכתובת בכל עת.' },
  expired: { title: 'הקישור ישן מדי', text: 'נא להירשם שוב ולהשתמש בקישור שבהודעה החדשה.' },
  unknown: { title: 'הקישור אינו מוכר', text: 'נא להשתמש בקישור מהודעה חדשה יותר, או להירשם שוב.' },
  later: { title: 'נא לנסות שוב', text: 'לא הצלחנו לשמור את הבקשה כרגע. נא לחזור ולנסות שוב בעוד רגע.' },
}

/** The pages behind the link of a sign-up's mail. */
export const confirmPage = pagesIn({ english, hebrew })
