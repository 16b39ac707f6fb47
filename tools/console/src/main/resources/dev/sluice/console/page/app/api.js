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

export async function get(path) {
	return answer(await fetch('api/' + path, { credentials: 'same-origin', cache: 'no-store' }));
}

export async function post(path, body) {
	return answer(await fetch('api/' + path, {
		method: 'POST',
		credentials: 'same-origin',
		headers: { 'Content-Type': 'application/json', 'Sluice-Console': '1' },
		body: JSON.stringify(body),
	}));
}

/** Watches a page; answers what ends it. The browser reconnects by itself while it can. */
export function watch(page, { onHistory, onTick, onState }) {
	let source;
	let retry;
	let over = false;
	function open() {
		source = new EventSource('api/stream?page=' + encodeURIComponent(page));
		source.addEventListener('history', (event) => { onState('live'); onHistory(JSON.parse(event.data)); });
		source.addEventListener('tick', (event) => { onState('live'); onTick(JSON.parse(event.data)); });
		source.onerror = () => {
			if (over) return;
			onState('away');
			if (source.readyState === EventSource.CLOSED) {
				get('session').then((session) => { if (!session.signedIn) onState('signed-out'); }, () => {});
				retry = setTimeout(open, 3000);
			}
		};
	}
	open();
	return () => {
		over = true;
		clearTimeout(retry);
		source.close();
	};
}
