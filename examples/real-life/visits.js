// visits.js SOCKET FILE: a web server in Node.js that counts its visitors, in a file.
const fs = require("fs");
const http = require("http");

const [socket, file] = process.argv.slice(2);
let visits = fs.existsSync(file) ? Number(fs.readFileSync(file)) : 0;
fs.rmSync(socket, { force: true });
http.createServer((request, response) => {
    visits += 1;
    fs.writeFileSync(file + ".new", String(visits));
    fs.renameSync(file + ".new", file);
    response.end(String(visits));
}).listen(socket);
