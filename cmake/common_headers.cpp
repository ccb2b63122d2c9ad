// A source for the targets of CommonHeaders.cmake, which exist for their precompiled headers.
int main() { return 0; }
