// An embedded form. It sets no cookie and stores nothing; it needs `script-src` and `connect-src` of the page's policy, and no inline style.
;(() => {
  const script = document.currentScript
  const { tenant, key, formId, target, lang, allowSecret } = script.dataset
  if (/sk_evt_/i.test(key) && allowSecret == null)
    return console.error(
      'tidings: a secret key in a page opens all contacts to its readers: use a publishable one (pk_evt_) or data-allow-secret',
    )
  const api = new URL('../api/v1/forms/subscribe', script.src)
  const TEXTS = {
    en: {
      email: 'Email address',
      send: 'Subscribe',
      busy: 'One moment …',
      done: 'Thank you, you are subscribed.',
      pending: 'Almost done: please use the link in the email that we have sent you.',
      invalid: 'Please enter a valid email address.',
      phone: 'Please check the phone number.',
      wrong: 'Please check what you entered.',
      often: 'Too many tries. Please wait a minute and try again.',
      refused: 'This form cannot be used on this page.',
      failed: 'That did not work. Please try again in a moment.',
    },
    he: {
      email: 'כתובת דואר אלקטרוני',
      send: 'הרשמה',
      busy: 'רק רגע …',
      done: 'תודה, נרשמתם בהצלחה.',
      pending: 'כמעט סיימנו: נא ללחוץ על הקישור שבהודעה ששלחנו אליכם.',
      invalid: 'נא להזין כתובת דואר אלקטרוני תקינה.',
      phone: 'נא לבדוק את מספר הטלפון.',
      wrong: 'נא לבדוק את הפרטים שהוזנו.',
      often: 'יותר מדי ניסיונות. נא להמתין דקה ולנסות שוב.',
      refused: 'אי אפשר להשתמש בטופס בעמוד הזה.',
      failed: 'זה לא הצליח. נא לנסות שוב בעוד רגע.',
    },
  }
  const spoken = (lang || document.documentElement.lang).slice(0, 2).toLowerCase()
  const language = TEXTS[spoken] ? spoken : 'en'
  const say = TEXTS[language]
  const id = `tidings-${Math.random().toString(36).slice(2)}`

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag)
    for (const name in attributes) element.setAttribute(name, attributes[name])
    element.append(...children)
    return element
  }
  // Properties of `style` are no inline styles: a policy without 'unsafe-inline' allows them.
  const style = (element, properties) => {
    Object.assign(element.style, properties)
    return element
  }

  const ownForm = () => {
    const input = make('input', { id, type: 'email', name: 'email', autocomplete: 'email', required: '', maxlength: 320, dir: 'auto' })
    const form = make('form', { class: 'tidings-form' }, make('label', { for: id }, say.email), input, make('button', {}, say.send))
    if (lang) form.lang = language
    style(form, { display: 'flex', flexWrap: 'wrap', gap: '.5em', alignItems: 'center' })
    for (const control of [input, form.lastChild]) style(control, { font: 'inherit', padding: '.4em .6em' })
    style(input, { flex: '1 1 12em', minInlineSize: 0 })
    return form
  }

  /** Out of sight, of the keyboard's way and of screen readers: only a program fills it in. */
  const trap = () => {
    const input = make('input', { name: '_website', tabindex: -1, autocomplete: 'off' })
    const hidden = { position: 'absolute', inlineSize: '1px', blockSize: '1px', overflow: 'hidden', clipPath: 'inset(50%)' }
    return style(make('div', { 'aria-hidden': 'true' }, input), hidden)
  }

  const read = (form) => {
    const body = { email: '', fields: {}, sourceUrl: location.href.split('#')[0].slice(0, 2048) }
    if (formId) body.formId = formId
    for (const [name, value] of new FormData(form)) {
      if (typeof value !== 'string' || !value.trim()) continue
      if (name === 'email' || name === 'phone') body[name] = value.trim()
      else if (!Object.hasOwn(body.fields, name)) body.fields[name] = value
      else body.fields[name] = [body.fields[name], value].flat()
    }
    return body
  }

  const attempt = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

  /** The repetition of a request that may have arrived has its key, so that it is one sign-up. */
  let pending = {}
  const post = async (body) => {
    const text = JSON.stringify(body)
    if (pending.text !== text) pending = { text, key: attempt() }
    const headers = { 'Content-Type': 'application/json', 'X-Sender-Tenant': tenant, 'X-API-Key': key, 'Idempotency-Key': pending.key }
    const response = await fetch(api, { method: 'POST', mode: 'cors', credentials: 'omit', headers, body: text })
    const answer = await response.json()
    if (response.status < 500) pending = {}
    return { status: response.status, ...answer }
  }

  const sentence = ({ status, data, code }) => {
    if (status === 200) return data.pending ? say.pending : say.done
    if (code === 'invalid_phone' || code === 'contact_phone_taken') return say.phone
    if (status === 429) return say.often
    if (status === 401 || status === 403) return say.refused
    return status === 400 ? say.wrong : say.failed
  }

  const attach = (form) => {
    const email = form.elements.namedItem('email')
    if (!email) return console.error('tidings: the form has no field of the name "email"')
    const status = form.querySelector('[data-tidings-status]') || form.appendChild(style(make('p'), { flexBasis: '100%', margin: 0 }))
    status.id ||= `${id}-status`
    status.setAttribute('role', 'status')
    status.setAttribute('aria-live', 'polite')
    form.append(trap())
    form.noValidate = true
    let busy = false

    const tell = (text, result) => {
      status.textContent = text
      form.dataset.tidings = result
    }
    const mark = (isWrong) => {
      email.setAttribute('aria-invalid', isWrong)
      if (isWrong) email.setAttribute('aria-describedby', status.id)
      else email.removeAttribute('aria-describedby')
    }
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      if (busy) return
      const wrong = email.value.trim() && email.validity.valid ? form.querySelector(':invalid:not(fieldset)') : email
      mark(wrong === email)
      if (wrong) {
        tell(wrong === email ? say.invalid : say.wrong, 'error')
        return wrong.focus()
      }
      busy = true
      tell(say.busy, 'busy')
      try {
        const answer = await post(read(form))
        tell(sentence(answer), answer.status === 200 ? 'done' : 'error')
        if (answer.status === 200) form.reset()
      } catch {
        tell(say.failed, 'error')
      }
      busy = false
    })
  }

  const start = () => {
    const place = target && document.querySelector(target)
    if (target && !place) return console.error(`tidings: no element matches data-target="${target}"`)
    if (place?.matches('form')) return attach(place)
    const form = ownForm()
    if (place) place.append(form)
    else script.after(form)
    attach(form)
  }
  if (target && document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start)
  else start()
})()
