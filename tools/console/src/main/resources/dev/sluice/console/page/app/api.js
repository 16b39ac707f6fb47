// Talks to the console's server. All addresses are relative: the console may live under any path.

export class Problem extends Error {
	constructor(status, code, message) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

async function answer(response) {
	let body = {};
	try {
		body = await response.json();
	} catch (e) {
		// a proxy in between may answer anything
	}
	if (!response.ok) throw new Problem(response.status, body.error || 'no-answer', body.message || String(response.status));
	return body;
}

// The session belongs to this origin and path. A cookie would go to every port of the host.
const place = 'sluice.session:' + location.pathname;
let session = '';
try {
	session = localStorage.getItem(place) || '';
} catch (e) {
	// it lasts as long as the page, then
}

function keep(key) {
	session = key;
	try {
		localStorage.setItem(place, key);
	} catch (e) {
		// as above
	}
}

const ask = (path, settings) => fetch('api/' + path, {
	credentials: 'same-origin',
	cache: 'no-store',
	...settings,
	headers: { 'Sluice-Console': session, ...settings.headers },
});

export const get = async (path) => answer(await ask(path, {}));

export const post = async (path, body) => answer(await ask(path, {
	method: 'POST',
	headers: { 'Content-Type': 'application/json' },
	body: JSON.stringify(body),
}));

export const signIn = async (token) => keep((await post('login', { token })).session);

/** Reads events until the stream ends. */
async function read(page, signal, hear) {
	const response = await ask('stream?page=' + encodeURIComponent(page), { signal });
	if (!response.ok) await answer(response);
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	let text = '';
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return;
		text += value;
		for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
			const [, kind, data] = /^event: (\w+)\ndata: (.*)$/m.exec(text.slice(0, end)) || [];
			text = text.slice(end + 2);
			if (kind) hear(kind, JSON.parse(data));
		}
	}
}

/** Watches a page, and comes back when it was cut off; answers what ends it. */
export function watch(page, { onHistory, onTick, onState }) {
	const over = new AbortController();
	let retry;
	async function open() {
		try {
			await read(page, over.signal, (kind, data) => {
				onState('live');
				(kind === 'history' ? onHistory : onTick)(data);
			});
			onState('away');
		} catch (problem) {
			if (over.signal.aborted) return;
			onState(problem.status === 401 ? 'signed-out' : 'away', problem);
			if (problem.status === 401) return;
		}
		if (!over.signal.aborted) retry = setTimeout(open, 2000);
	}
	open();
	return () => {
		over.abort();
		clearTimeout(retry);
	};
}
