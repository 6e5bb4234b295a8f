import { pagesIn } from './pages.ts'

const english = {
  ask: {
    title: 'Unsubscribe?',
    text: 'You will get no more newsletters and offers from this sender by email.',
    button: 'Unsubscribe',
  },
  done: { title: 'You are unsubscribed', text: 'You will get no more newsletters and offers from this sender by email.' },
  unknown: { title: 'This link is not known', text: 'Please use the link of a newer email, or write to its sender.' },
  later: { title: 'Please try again', text: 'We could not note it down just now. Please go back and try again in a moment.' },
}

const hebrew: typeof english = {
  ask: {
    title: 'להסיר מרשימת התפוצה?',
    text: 'לא יישלחו אליך עוד ידיעונים והצעות מהשולח הזה בדואר אלקטרוני.',
    button: 'הסרה',
  },
  done: { title: 'הוסרת מרשימת התפוצה', text: 'לא יישלחו אליך עוד ידיעונים והצעות מהשולח הזה בדואר אלקטרוני.' },
  unknown: { title: 'הקישור אינו מוכר', text: 'נא להשתמש בקישור מהודעה חדשה יותר, או לכתוב לשולח.' },
  later: { title: 'נא לנסות שוב', text: 'לא הצלחנו לשמור את הבקשה כרגע. נא לחזור ולנסות שוב בעוד רגע.' },
}

/** The pages behind the link to unsubscribe. */
export const unsubscribePages = pagesIn({ english, hebrew })
